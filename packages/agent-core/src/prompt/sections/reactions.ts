import type { PromptSection } from "../prompt-facts.ts";

/** How to react with an emoji. */
export const reactions: PromptSection = {
  id: "reactions",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel, tools }) => {
    if (!deliversToChannel || channel?.reactions !== true || !tools.some(({ name }) => name === "message")) return undefined;
    return "## Reactions\n`message` with `action: react` puts an emoji on a message. Use it rarely, one a message, where a person would nod; a question still gets its answer.";
  },
};
