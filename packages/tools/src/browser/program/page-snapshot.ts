/** A snapshot of a page as text, and the number that all its refs carry. */
export interface PageSnapshot {
  readonly id: number;
  readonly text: string;
  readonly url: string;
}

/** The rest is cut off. */
const MAX_CHARS = 400_000;

const REF = /\[ref=((?:f\d+)?e\d+)\]/g;
const FRAME = /^(\s*)- iframe\b/;
const ADDRESS = /^(\s*- \/url: )("?)(.*?)\2$/;

/**
 * Makes refs name their snapshot (`e5` in the third one becomes `s3e5`), and addresses of links absolute, so that they can be opened as they stand there. Inside
 * of frames addresses stay as they are: the frame's own is not known.
 */
export function numberSnapshot(id: number, text: string, url: string): PageSnapshot {
  let frameIndent = Number.POSITIVE_INFINITY;
  const lines = text
    .slice(0, MAX_CHARS)
    .split("\n")
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      if (indent <= frameIndent) frameIndent = FRAME.test(line) ? indent : Number.POSITIVE_INFINITY;
      const [, head, , address = ""] = (indent > frameIndent ? null : ADDRESS.exec(line)) ?? [];
      if (head !== undefined) return `${head}${URL.parse(address, url)?.href ?? address}`;
      return line.replace(REF, (_match, ref: string) => `[ref=s${id}${ref}]`);
    });
  return { id, text: lines.join("\n").toWellFormed(), url };
}

/** A ref in its parts; `undefined` for anything else. */
export function parseRef(text: string): { readonly snapshot: number; readonly element: string } | undefined {
  const [, snapshot, element] = /^\[?(?:ref=)?s(\d{1,9})((?:f\d{1,6})?e\d{1,9})\]?$/.exec(text.trim()) ?? [];
  return snapshot === undefined || element === undefined ? undefined : { snapshot: Number(snapshot), element };
}

/** The line of a snapshot that shows an element, without its ref. */
export function lineOf(snapshot: PageSnapshot, ref: string): string | undefined {
  const line = snapshot.text.split("\n").find((one) => one.includes(`[ref=${ref}]`));
  return line
    ?.trim()
    .replace(/^- /, "")
    .replaceAll(/ ?\[(?:ref=\w+|cursor=pointer|active)\]/g, "")
    .replace(/:$/, "");
}
