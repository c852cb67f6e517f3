import type { PromptSection } from "../prompt-facts.ts";

/** Where replies go, and what else can be sent. */
export const messaging: PromptSection = {
  id: "messaging",
  half: "session",
  modes: ["full"],
  render: ({ deliversToChannel, writesElsewhere = true, group, tools }) => {
    const message = tools.some(({ name }) => name === "message");
    const sessionsSend = tools.some(({ name }) => name === "sessions_send");
    if (!deliversToChannel || (!message && !sessionsSend)) return undefined;
    return [
      "## Messaging",
      "- Your reply goes to this conversation automatically.",
      ...(message
        ? [
            ...(writesElsewhere
              ? [
                  "- To write to another conversation, use `message` with `action: send` and a `target`. Set `channel` only to send through another messaging service.",
                ]
              : []),
            ...(group === undefined
              ? ["- During work that takes several minutes, use `message` without a target to send a short progress update here."]
              : []),
            "- If you have already sent your whole reply with `message`, end with just `NO_REPLY`.",
          ]
        : []),
      ...(sessionsSend
        ? [
            "- To send a message to another session of an agent rather than to a chat, use `sessions_send`.",
            "- When Factotum reports that a background task has finished, tell the user the result in your own words; never forward the report itself.",
          ]
        : []),
      "- Never send messages with shell commands or HTTP calls (`exec`, `curl`).",
    ].join("\n");
  },
};
