/** The body of the silent turn before a compaction. `notesPath` is today's file, relative to the workspace. */
export function memoryFlushPrompt(options: { readonly notesPath: string }): string {
  return `The older part of this conversation will soon be replaced by a summary, and its details will be lost. Add to ${options.notesPath} what will matter later and is not in your notes yet: decisions, facts, preferences, open work. Write full dates instead of words like "tomorrow", and leave secrets out. Keep everything that the file already says, and change no other file. When you are done, or if there is nothing to add, answer only NO_REPLY.`;
}
