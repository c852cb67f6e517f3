const WORDS = 8;
const CHINESE_CHARACTERS = 12;

/** Every run of eight words, and of twelve Chinese characters, in `texts`. Case, punctuation and line breaks do not count. */
export function indexRuns(texts: readonly string[], ignored: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => runsOf(text, ignored)));
}

/** The runs of `text` that are in `index`, in order, each once. */
export function commonRuns(text: string, index: ReadonlySet<string>, ignored: readonly string[]): string[] {
  return [...new Set(runsOf(text, ignored).filter((run) => index.has(run)))];
}

function runsOf(text: string, ignored: readonly string[]): string[] {
  const plain = ignored.reduce((rest, token) => rest.replaceAll(token, " "), text).toLowerCase();
  const words = plain.match(/(?:[^\P{L}\p{Script=Han}]|\p{N})+/gu) ?? [];
  const characters = plain.match(/\p{Script=Han}/gu) ?? [];
  return [...windows(words, WORDS).map((run) => run.join(" ")), ...windows(characters, CHINESE_CHARACTERS).map((run) => run.join(""))];
}

function windows<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.max(0, items.length - size + 1) }, (_, start) => items.slice(start, start + size));
}
