/** A text file before and after a change; without `before` it is new, without `after` deleted. */
export interface TextChange {
  readonly path: string;
  readonly movedTo?: string;
  readonly before?: string;
  readonly after?: string;
}

/** For `details` of a result. `diffCut`: something was left out, because of its size or of the time that it takes. */
export interface RenderedDiff {
  readonly diff: string;
  readonly diffCut?: true;
}

const MAX_DIFF_CHARS = 20_000;
/** Texts of one file, before and after together. */
const MAX_COMPARED_CHARS = 1_000_000;
/** Per file: two large texts without a line in common take minutes. */
const MAX_COMPARE_MS = 100;

/** A unified diff of changes, bounded in size and time. */
export async function unifiedDiff(changes: readonly TextChange[]): Promise<RenderedDiff> {
  const { createTwoFilesPatch } = await import("diff");
  const parts: string[] = [];
  let chars = 0;
  let isCut = false;
  for (const { path, movedTo = path, before, after } of changes) {
    const [old, fresh] = [before ?? "", after ?? ""];
    const names = [before === undefined ? "/dev/null" : `a/${path}`, after === undefined ? "/dev/null" : `b/${movedTo}`] as const;
    const options = { context: 3, timeout: MAX_COMPARE_MS };
    const patch =
      chars >= MAX_DIFF_CHARS || old.length + fresh.length > MAX_COMPARED_CHARS
        ? undefined
        : createTwoFilesPatch(...names, old, fresh, undefined, undefined, options);
    // The library puts a ruler above each file.
    const text = patch?.replace(/^=+\n/, "") ?? `--- ${names[0]}\n+++ ${names[1]}\n`;
    isCut ||= patch === undefined;
    parts.push(text);
    chars += text.length;
  }
  const diff = parts.join("");
  if (diff.length <= MAX_DIFF_CHARS) return { diff, ...(isCut && { diffCut: true }) };
  const end = diff.lastIndexOf("\n", MAX_DIFF_CHARS - 1) + 1;
  return { diff: diff.slice(0, end), diffCut: true };
}
