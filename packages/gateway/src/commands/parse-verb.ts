/** What follows a command that has verbs, as far as it was given. */
export interface VerbWords {
  readonly verb: string | undefined;
  readonly named: string | undefined;
  readonly text: string;
}

/** Parses `<verb> <name> <text>` after a command; `undefined` if the message is another command. */
export function parseVerb(words: string): VerbWords | undefined {
  const found = /^(?:\s+(\w+)(?:\s+(\S+)(?:\s+([^]*))?)?)?\s*$/.exec(words);
  if (found === null) return undefined;
  const [, verb, named, text = ""] = found;
  return { verb, named, text };
}
