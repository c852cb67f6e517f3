import { MarkdownCutter } from "./markdown-cutter.ts";
import type { CutLimits, MarkdownChunk } from "./markdown-cutter.ts";
import type { TextUnit } from "./measure-text.ts";
import { scanFences } from "./scan-fences.ts";

/** Limits of one message. */
export interface ChunkLimits {
  /** Maximum length of a chunk, synthetic fences included; at least 32. */
  readonly maxLength: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum lines of a chunk, synthetic fences included; at least 4. Unlimited by default. */
  readonly maxLines?: number;
  /**
   * From this length on a chunk may end at the first paragraph; at most `maxLength`. Without it a chunk is as long as possible and ends in the second half of
   * the limit.
   */
  readonly minLength?: number;
}

/** Limits of one message, and the start offset. */
export interface ChunkOptions extends ChunkLimits {
  /** Start offset: the end of the last chunk that was sent of this source. 0 by default. A code block that is open there is opened again. */
  readonly from?: number;
}

const MIN_LENGTH = 32;
const MIN_LINES = 4;

/**
 * Cuts Markdown into messages of at most `maxLength`. Breaks, once the chunk is long enough, at a paragraph, else a newline, else a sentence, else a space,
 * else anywhere between two graphemes. A code block that is cut is closed and opened again.
 *
 * Pure, and linear in the source. The concatenated spans of the chunks are exactly the source from `from` on (R18); only white space has no chunks. Only a
 * single grapheme longer than the limit is ever split, and then between code points. A fence line longer than a quarter of the limit counts as text. Throws a
 * RangeError for limits below the minimum.
 */
export function chunkMarkdown(source: string, options: ChunkOptions): MarkdownChunk[] {
  const limits = checkLimits(options);
  const cutter = new MarkdownCutter(source, scanFences(source, fenceLimits(limits)), limits);
  cutter.moveTo(options.from ?? 0);
  return cutAll(cutter);
}

/** All chunks from the current position of `cutter`. White space belongs to the chunk before it, at the start to the one after it. */
export function cutAll(cutter: MarkdownCutter): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  let blankFrom: number | undefined;
  while (!cutter.done) {
    const chunk = cutter.next();
    if (chunk.text === "") {
      const last = chunks.pop();
      if (last === undefined) blankFrom ??= chunk.start;
      else chunks.push({ ...last, end: chunk.end });
      continue;
    }
    chunks.push(blankFrom === undefined || chunks.length > 0 ? chunk : { ...chunk, start: blankFrom });
  }
  return chunks;
}

/** The limits with their defaults; throws a RangeError for invalid limits. */
export function checkLimits({ maxLength, unit = "utf16", maxLines = Number.POSITIVE_INFINITY, minLength }: ChunkLimits): CutLimits {
  if (!(maxLength >= MIN_LENGTH)) throw new RangeError(`maxLength is ${maxLength}; give at least ${MIN_LENGTH}`);
  if (!(maxLines >= MIN_LINES)) throw new RangeError(`maxLines is ${maxLines}; give at least ${MIN_LINES}`);
  if (minLength !== undefined && !(minLength >= 1 && minLength <= maxLength))
    throw new RangeError(`minLength is ${minLength}; give 1 to ${maxLength}`);
  return { maxLength, unit, maxLines, minLength };
}

/** Maximum length of a line with a fence: there must be room for content. */
export function fenceLimits({ maxLength, unit }: CutLimits): { readonly maxFenceLength: number; readonly unit: TextUnit } {
  return { maxFenceLength: Math.floor(maxLength / 4), unit };
}
