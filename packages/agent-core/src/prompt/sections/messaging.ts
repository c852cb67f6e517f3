import type { PromptSection } from "../prompt-facts.ts";

/** Where replies go, and what else can be sent. */
export const messaging: PromptSection = {
  id: "messaging",
  half: "session",
  modes: ["full"],
  render: ({ deliversToChannel, tools }) => {
    const message = tools.some(({ name }) => name === "message");
    const sessionsSend = tools.some(({ name }) => name === "sessions_send");
    if (!deliversToChannel || (!message && !sessionsSend)) return undefined;
    return [
      "## Messaging",
      "- Your reply finds its own way back to the chat that it answers.",
      ...(message
        ? [
            "- `message` with `action: send` is for everything else: another place, or word ahead of the reply. Name a `channel` only to leave this one.",
            "- When `message` has already delivered the reply itself, end with just `NO_REPLY`.",
          ]
        : []),
      ...(sessionsSend ? ["- To speak to another session, use `sessions_send`."] : []),
      "- Shell commands and HTTP calls (`exec`, `curl`) are never a way to send messages.",
      "- News that a background task has finished is yours to retell, in your voice; do not paste the raw notice.",
    ].join("\n");
  },
};
