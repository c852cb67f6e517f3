const FIRST_STRONG = "\u{2068}";
const POP = "\u{2069}";
/** Ends and begins of other directions: one too many would end the isolation. */
const DIRECTIONS = /[\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** A name of others for a sentence that is plain text, such as a toast: its direction changes nothing around it. In elements use `bdi`. */
export function isolate(name: string): string {
  return `${FIRST_STRONG}${name.replaceAll(DIRECTIONS, "")}${POP}`;
}
