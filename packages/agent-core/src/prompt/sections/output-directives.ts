import type { PromptSection } from "../prompt-facts.ts";

/**
 * How to write a reply, and its delivery directives, which the gateway parses. `[[audio_as_voice]]` is not listed, because a recording is known by its format.
 */
export const outputDirectives: PromptSection = {
  id: "output-directives",
  half: "stable",
  modes: ["full"],
  render: () => `## Output Directives
Reply in the language the user writes in, unless your instructions name one. Keep to the length of a chat message: the result first, then a few short sentences. Write more only if the user asks for it or the content needs it.
Factotum removes these directives from a reply and carries them out:
- \`MEDIA:<path-or-url>\` attaches a file. Put every \`MEDIA:\` on a line of its own, as plain text outside code fences; paths are relative to the workspace.
- \`[[reply_to_current]]\` at the very start of a reply quotes the message that you are answering; \`[[reply_to:<id>]]\` quotes another message whose id you were given.`,
};
