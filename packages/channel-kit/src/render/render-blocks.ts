import type { Root } from "mdast";
import { flattenMarkdown } from "../markdown/flatten-markdown.ts";
import type { CellAlign, Piece, Span } from "../markdown/piece.ts";
import type { TextUnit } from "../measure-text.ts";
import { sizeOfBlock, splitBlock } from "./split-block.ts";
import type { BlockItem, StyledBlock, StyledRun } from "./styled-block.ts";

/** Limits of one message. */
export interface BlockLimits {
  /** Maximum length of the texts of a message together; at least 32. Unlimited by default. */
  readonly maxLength?: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum number of blocks in a message. Unlimited by default. */
  readonly maxBlocks?: number;
}

/**
 * Renders Markdown as blocks, in messages within the limits. Texts need no escape in them. A block that is longer than a message is cut at a line or word, a
 * table that is becomes code. Nothing visible gives no message. Throws a RangeError for limits below the minimum.
 */
export function renderBlocks(source: string | Root, limits: BlockLimits = {}): StyledBlock[][] {
  const { maxLength = Number.POSITIVE_INFINITY, unit = "utf16", maxBlocks = Number.POSITIVE_INFINITY } = limits;
  if (!(maxLength >= 32)) throw new RangeError(`maxLength is ${maxLength}; give at least 32`);
  if (!(maxBlocks >= 1)) throw new RangeError(`maxBlocks is ${maxBlocks}; give at least 1`);
  const messages: StyledBlock[][] = [];
  let room = 0;
  for (const block of new BlockBuilder()
    .build(flattenMarkdown(source, { tables: "native" }))
    .flatMap((whole) => splitBlock(whole, { maxLength, unit }))) {
    const size = sizeOfBlock(block, unit);
    const message = messages.at(-1);
    if (message !== undefined && size <= room && message.length < maxBlocks) message.push(block);
    else {
      messages.push([block]);
      room = maxLength;
    }
    room -= size;
  }
  return messages;
}

/** Collects pieces as blocks. */
class BlockBuilder {
  readonly #blocks: StyledBlock[] = [];
  readonly #spans: Span[] = [];
  /** Items around the current place that have a block already. */
  readonly #begun = new Set<Span>();
  #runs: StyledRun[] = [];
  #table: { readonly columns: readonly CellAlign[]; readonly rows: StyledRun[][][] } | undefined;

  build(pieces: readonly Piece[]): StyledBlock[] {
    for (const piece of pieces) this.#take(piece);
    this.#endText();
    return this.#blocks;
  }

  #take(piece: Piece): void {
    switch (piece.type) {
      case "enter":
        return this.#enter(piece.span);
      case "exit":
        return this.#exit();
      case "text":
        return this.#add(piece.text);
      case "break":
        if (piece.kind === "line") this.#add("\n");
        else this.#endText();
        return;
      case "rule":
        this.#endText();
        this.#blocks.push({ type: "rule", ...this.#surroundings() });
    }
  }

  #enter(span: Span): void {
    if (span.type === "quote" || span.type === "item" || span.type === "code-block" || span.type === "heading") this.#endText();
    this.#spans.push(span);
    if (span.type === "table") this.#table = { columns: span.columns, rows: [] };
    if (span.type === "row") this.#table?.rows.push([]);
  }

  #exit(): void {
    const span = this.#spans.at(-1);
    if (span?.type === "code-block") this.#endCode(span);
    else if (span?.type === "cell") this.#table?.rows.at(-1)?.push(this.#takeRuns());
    else if (span?.type === "table" && this.#table !== undefined) this.#endTable(this.#table);
    else if (span?.type === "quote" || span?.type === "heading") this.#endText();
    else if (span?.type === "item") {
      this.#endText();
      // An item without content is shown all the same.
      if (!this.#begun.has(span)) this.#blocks.push({ type: "text", runs: [], ...this.#surroundings() });
    }
    this.#spans.pop();
  }

  #add(text: string): void {
    const style = styleOf(this.#spans);
    const last = this.#runs.at(-1);
    if (last !== undefined && isSameStyle(last, style)) this.#runs[this.#runs.length - 1] = { ...last, text: last.text + text };
    else this.#runs.push({ text, ...style });
  }

  #takeRuns(): StyledRun[] {
    const runs = trimRuns(this.#runs);
    this.#runs = [];
    return runs;
  }

  #endText(): void {
    const runs = this.#takeRuns();
    if (runs.length === 0) return;
    const heading = this.#spans.find((span) => span.type === "heading");
    this.#blocks.push({ type: "text", runs, ...(heading !== undefined && { heading: heading.depth }), ...this.#surroundings() });
  }

  #endCode({ language }: Extract<Span, { type: "code-block" }>): void {
    const text = this.#runs.map((run) => run.text).join("");
    this.#runs = [];
    this.#blocks.push({ type: "code", text, ...(language !== undefined && { language }), ...this.#surroundings() });
  }

  #endTable({ rows, columns }: { readonly columns: readonly CellAlign[]; readonly rows: StyledRun[][][] }): void {
    this.#blocks.push({ type: "table", rows, columns, ...this.#surroundings() });
    this.#table = undefined;
  }

  #surroundings(): { readonly quoted: number; readonly item?: BlockItem } {
    const quoted = this.#spans.filter(({ type }) => type === "quote").length;
    const span = this.#spans.findLast((at) => at.type === "item");
    if (span === undefined) return { quoted };
    const { level, number, checked } = span;
    const isContinued = this.#begun.has(span);
    for (const at of this.#spans) if (at.type === "item") this.#begun.add(at);
    return {
      quoted,
      item: {
        level,
        ...(number !== undefined && { number }),
        ...(checked !== undefined && { checked }),
        ...(isContinued && { continued: true }),
      },
    };
  }
}

function styleOf(spans: readonly Span[]): Omit<StyledRun, "text"> {
  const has = (type: Span["type"]): boolean => spans.some((span) => span.type === type);
  const link = spans.find((span) => span.type === "link" || span.type === "image");
  return {
    ...(has("strong") && { strong: true as const }),
    ...(has("emphasis") && { emphasis: true as const }),
    ...(has("strikethrough") && { strikethrough: true as const }),
    ...(has("code") && { code: true as const }),
    ...(link !== undefined && { url: link.url }),
    ...(link?.type === "image" && { image: true as const }),
  };
}

function isSameStyle(run: StyledRun, style: Omit<StyledRun, "text">): boolean {
  return (["strong", "emphasis", "strikethrough", "code", "url", "image"] as const).every((key) => run[key] === style[key]);
}

/** Without white space at the edges. */
function trimRuns(runs: readonly StyledRun[]): StyledRun[] {
  const trimmed = [...runs];
  for (let first = trimmed[0]; first !== undefined; first = trimmed[0]) {
    const text = first.text.trimStart();
    if (text !== "") {
      trimmed[0] = { ...first, text };
      break;
    }
    trimmed.shift();
  }
  for (let last = trimmed.at(-1); last !== undefined; last = trimmed.at(-1)) {
    const text = last.text.trimEnd();
    if (text !== "") {
      trimmed[trimmed.length - 1] = { ...last, text };
      break;
    }
    trimmed.pop();
  }
  return trimmed;
}
