import type { PromptSection } from "../prompt-facts.ts";

/** How to write text that is read aloud. */
export const voice: PromptSection = {
  id: "voice",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel }) => {
    if (!deliversToChannel || channel?.voice !== true) return undefined;
    return "## Voice\nVoice messages can be played here. If a reply will be spoken, write it the way people talk: a few short sentences without lists, links or code.";
  },
};
