import type { PromptSection } from "../prompt-facts.ts";

/** How to react with an emoji. */
export const reactions: PromptSection = {
  id: "reactions",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel, tools }) => {
    if (!deliversToChannel || channel?.reactions !== true || !tools.some(({ name }) => name === "message")) return undefined;
    return "## Reactions\nTo react to a message with an emoji, use `message` with `action: react`. React rarely: at most once per message, and only where a person would just nod. Answer questions in words.";
  },
};
