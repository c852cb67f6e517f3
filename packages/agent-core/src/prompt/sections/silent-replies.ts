import type { PromptSection } from "../prompt-facts.ts";

/** How to stay silent, and when not to. */
export const silentReplies: PromptSection = {
  id: "silent-replies",
  half: "stable",
  modes: ["full", "minimal"],
  render: ({ tools }) => {
    const unlessSent = tools.some(({ name }) => name === "message") ? ", unless you have already sent the answer with `message`" : "";
    return `## Silent Replies
If nothing needs to be said, make \`NO_REPLY\` your whole message: just that word, without formatting or any other text.
In a direct conversation, always answer a question in words; never answer it with \`NO_REPLY\`${unlessSent}.`;
  },
};
