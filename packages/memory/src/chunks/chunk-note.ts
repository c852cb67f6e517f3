/** A passage of a note. Lines count from 1 and are inclusive. */
export interface NoteChunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The headings that the passage stands under, outermost first. */
  readonly headings: readonly string[];
}

const MAX_TOKENS = 400;
const OVERLAP_TOKENS = 80;
/** Characters that a token of a long line counts for. */
const CHARS_PER_TOKEN = 4;

const HEADING = /^ {0,3}(?<marks>#{1,6})[ \t]+(?<title>.+?)[ \t]*#*[ \t]*$/u;
const FENCE = /^ {0,3}(?<marks>`{3,}|~{3,})(?<info>.*)$/u;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** A line, or a part of a very long one. */
interface Piece {
  readonly line: number;
  readonly text: string;
  readonly tokens: number;
  /** Continues a code fence, so that a passage should not start here. */
  readonly inFence: boolean;
  readonly headings: readonly string[];
  readonly startsSection: boolean;
}

/**
 * Splits a note into passages of about 400 tokens. A heading starts a new one; a code fence is split only if it is longer than a passage. Passages that follow each
 * other in a section share about 80 tokens. All lines that are not blank are in some passage.
 */
export function chunkNote(text: string): readonly NoteChunk[] {
  const chunks: NoteChunk[] = [];
  for (const section of sections(piecesOf(text))) chunks.push(...chunkSection(section));
  return chunks;
}

/** A rough count of a model's tokens. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / CHARS_PER_TOKEN);
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let headings: readonly { readonly level: number; readonly title: string }[] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const inFence = fence !== undefined;
    const heading = inFence ? undefined : HEADING.exec(line)?.groups;
    if (heading !== undefined) {
      const level = heading["marks"]?.length ?? 1;
      headings = [...headings.filter((one) => one.level < level), { level, title: heading["title"] ?? "" }];
    }
    fence = fenceAfter(line, fence);
    const common = { line: index + 1, inFence, headings: headings.map(({ title }) => title) };
    for (const [part, piece] of partsOf(line).entries())
      pieces.push({ ...common, text: piece, tokens: estimateTokens(piece), startsSection: heading !== undefined && part === 0 });
  }
  return pieces;
}

/** The fence that is open after a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const { marks, info = "" } = FENCE.exec(line)?.groups ?? {};
  if (marks === undefined) return open;
  if (open === undefined) return marks.startsWith("`") && info.includes("`") ? undefined : marks;
  return marks[0] === open[0] && marks.length >= open.length && info.trim() === "" ? undefined : open;
}

function partsOf(line: string): readonly string[] {
  if (estimateTokens(line) <= MAX_TOKENS) return [line];
  const parts: string[] = [];
  let part = "";
  let tokens = 0;
  for (const word of line.match(/\s*\S{1,100}/gu) ?? []) {
    const more = estimateTokens(word);
    if (tokens + more > MAX_TOKENS) {
      parts.push(part);
      [part, tokens] = ["", 0];
    }
    part += word;
    tokens += more;
  }
  return [...parts, part];
}

/** A heading without text of its own stays with what follows. */
function sections(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const found: Piece[][] = [];
  let current: Piece[] = [];
  for (const piece of pieces) {
    if (piece.startsSection && current.some(({ startsSection, text }) => !startsSection && text.trim() !== "")) {
      found.push(current);
      current = [];
    }
    current.push(piece);
  }
  return [...found, current];
}

function chunkSection(pieces: readonly Piece[]): readonly NoteChunk[] {
  const chunks: NoteChunk[] = [];
  let start = 0;
  while (start < pieces.length) {
    const end = endOf(pieces, start);
    const chunk = toChunk(pieces.slice(start, end));
    if (chunk !== undefined) chunks.push(chunk);
    if (end >= pieces.length) break;
    start = overlapStart(pieces, start, end);
  }
  return chunks;
}

function endOf(pieces: readonly Piece[], start: number): number {
  let end = start;
  let tokens = 0;
  while (end < pieces.length && (end === start || tokens + (pieces[end]?.tokens ?? 0) <= MAX_TOKENS)) tokens += pieces[end++]?.tokens ?? 0;
  if (end >= pieces.length) return end;
  // Before the fence that would be cut, if there is anything before it.
  let before = end;
  while (before > start && pieces[before]?.inFence === true) before -= 1;
  return before > start ? before : end;
}

/** Where the next passage starts: a little before the end of this one, and always after its start. */
function overlapStart(pieces: readonly Piece[], start: number, end: number): number {
  let from = end;
  let tokens = 0;
  for (let at = end - 1; at > start; at -= 1) {
    tokens += pieces[at]?.tokens ?? 0;
    if (tokens > OVERLAP_TOKENS) break;
    if (pieces[at]?.inFence === false || pieces[end]?.inFence === true) from = at;
  }
  return from;
}

function toChunk(pieces: readonly Piece[]): NoteChunk | undefined {
  const isText = ({ text }: Piece): boolean => text.trim() !== "";
  const [first, last] = [pieces.findIndex(isText), pieces.findLastIndex(isText)];
  const kept = pieces.slice(first, last + 1);
  const [opening, closing] = [kept.at(0), kept.at(-1)];
  if (first === -1 || opening === undefined || closing === undefined) return undefined;
  const text = kept.map((piece, index) => (index > 0 && kept[index - 1]?.line === piece.line ? piece.text : `\n${piece.text}`)).join("");
  return { startLine: opening.line, endLine: closing.line, text: text.slice(1), headings: closing.headings };
}
