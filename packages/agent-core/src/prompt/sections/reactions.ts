import type { PromptSection } from "../prompt-facts.ts";

/** How to react with an emoji. */
export const reactions: PromptSection = {
  id: "reactions",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel, tools }) => {
    if (!deliversToChannel || channel?.reactions !== true || !tools.some(({ name }) => name === "message")) return undefined;
    return "## Reactions\nTo react to a message with an emoji, use `message` with `action: react`. Do it rarely, at most once per message, where a person would just nod. A question still gets an answer in words.";
  },
};
