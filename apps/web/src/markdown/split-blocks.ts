/** Parts of these need each other, wherever they stand: reference definitions and footnotes. */
const DEFINITION = /^[\s>\-*+\d.)]*\[[^\]]+\]:/m;

/**
 * Cuts Markdown at places where a new top-level block surely begins, so that a growing answer is parsed only at its end.
 * The parts joined are the text. Where it is not sure (raw HTML, fences inside of other blocks) the rest stays in one part.
 */
export function splitBlocks(text: string): readonly string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let start = 0;
  let position = 0;
  let fence: string | undefined;
  let afterBlank = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (fence === undefined) {
      if (/^ {0,3}<|^[ \t]+(```|~~~)/.test(line)) break;
      if (afterBlank && position > start && beginsBlock(line)) {
        blocks.push(text.slice(start, position));
        start = position;
      }
    }
    fence = nextFence(fence, line.trimEnd());
    afterBlank = /^[ \t\r\n]*$/.test(line);
    position += line.length;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

/** Whatever is indented or begins a list item may belong to the list above it. */
function beginsBlock(line: string): boolean {
  return /^[^\s\-*+\d]/.test(line);
}

/** The fence that is open after a line. */
function nextFence(open: string | undefined, line: string): string | undefined {
  if (open !== undefined) {
    const closing = /^ {0,3}(`+|~+)$/.exec(line)?.[1];
    return closing?.startsWith(open) === true ? undefined : open;
  }
  return /^(?:(`{3,})[^`]*|(~{3,}).*)$/
    .exec(line)
    ?.slice(1)
    .find((marker) => marker !== undefined);
}
