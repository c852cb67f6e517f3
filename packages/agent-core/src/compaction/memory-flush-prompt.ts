/** The body of the silent turn before a compaction. `notesPath` is today's file, relative to the workspace. */
export function memoryFlushPrompt(options: { readonly notesPath: string }): string {
  return `Soon the older part of this conversation is condensed and its details are lost. Add to ${options.notesPath} what will matter later and is not in your notes yet: decisions, facts, preferences, open work. Append; change no other file. Then, or if there is nothing to add, answer NO_REPLY.`;
}
