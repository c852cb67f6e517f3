import type { PromptSection } from "../prompt-facts.ts";

/** What a reply can ask of the delivery. The parser of these stands in the gateway (design 04). */
export const outputDirectives: PromptSection = {
  id: "output-directives",
  half: "stable",
  modes: ["full"],
  render: () => `## Output Directives
Factotum removes these from a reply and carries them out:
- \`MEDIA:<path-or-url>\`, alone on its line, attaches a file: one a line, plain, not in a code fence, the path relative to the workspace.
- \`[[reply_to_current]]\` at the very beginning answers as a quote of this message, \`[[reply_to:<id>]]\` of one whose id you were given.
- \`[[audio_as_voice]]\` turns attached audio into a voice message.`,
};
