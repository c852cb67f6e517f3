import type { ChatWait } from "@factotum/protocol";

/** Says why the messages of a conversation, or the tools of its run, wait, in a sentence for the owner. */
export function describeWait(wait: ChatWait): string {
  switch (wait.type) {
    case "held":
      return "It starts in a moment, with whatever you add to it.";
    case "earlier":
      return "Earlier work in this conversation comes first.";
    case "restart":
      return "The gateway was interrupted and resumes one conversation at a time.";
    case "place":
      return `Other conversations are being answered: at most ${wait.limit} at once (agents.defaults.maxConcurrent).`;
    case "tools":
      return `Tools wait for those of other conversations: at most ${wait.limit} run at once.`;
    case "own-tools":
      return `Tools wait for others of this conversation: at most ${wait.limit} run at once.`;
  }
}
