import type { PromptSection } from "../prompt-facts.ts";

/** How to write for the ear. */
export const voice: PromptSection = {
  id: "voice",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel }) => {
    if (!deliversToChannel || channel?.voice !== true) return undefined;
    return "## Voice\nVoice messages can be played here. Write text that will be spoken the way people speak: a few short sentences without lists, links or code.";
  },
};
