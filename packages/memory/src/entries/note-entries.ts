import { createHash } from "node:crypto";
import { tokenize } from "../tokens/tokenize.ts";

/** One statement of a note: an item of a list, a row of a table, a block of code, or a paragraph. Lines count from 1 and are inclusive. */
export interface NoteEntry {
  readonly startLine: number;
  readonly endLine: number;
  /** Without list marks and indentation; lines are kept. */
  readonly text: string;
  /** The headings that it stands under, outermost first. */
  readonly headings: readonly string[];
  /** It is a block of code. */
  readonly isCode: boolean;
  /** Items that belong to it follow, so that it cannot be taken away alone. */
  readonly hasItems: boolean;
  /** Of its text, whatever the white space: names it in the store. */
  readonly digest: string;
  /** The different search tokens of its text. */
  readonly tokens: ReadonlySet<string>;
}

const HEADING = /^ {0,3}(?<marks>#{1,6})[ \t]+(?<title>\S.*)$/u;
const HAS_WORDS = /[\p{L}\p{N}]/u;
const FENCE = /^\s*(?<marks>`{3,}|~{3,})/u;
const ITEM = /^(?<indent>\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?\s+(?<text>.*)$/u;
const ROW = /^\s*\|/u;

/** An entry that is being collected. */
interface Open {
  readonly startLine: number;
  readonly lines: string[];
  readonly headings: readonly string[];
  /** Columns before its list mark; `undefined` if it is not an item of a list. */
  readonly indent?: number;
  readonly isCode: boolean;
  endLine: number;
}

/** The entries of a note, in order. Headings, rules and text without a letter or digit are left out. */
export function noteEntries(text: string): readonly NoteEntry[] {
  const found: Open[] = [];
  let headings: readonly { readonly level: number; readonly title: string }[] = [];
  let open: Open | undefined;
  let fence: string | undefined;
  for (const [index, line] of text.split(/\r\n?|\n/u).entries()) {
    const at = { startLine: index + 1, endLine: index + 1, headings: headings.map(({ title }) => title) };
    const marks = FENCE.exec(line)?.groups?.["marks"];
    if (fence !== undefined) {
      extend(open, line, index + 1);
      if (marks?.startsWith(fence) === true) [fence, open] = [undefined, undefined];
      continue;
    }
    const heading = HEADING.exec(line)?.groups;
    const item = ITEM.exec(line)?.groups;
    if (marks !== undefined) {
      fence = marks;
      found.push((open = { ...at, lines: [line], isCode: true }));
    } else if (heading !== undefined) {
      const level = heading["marks"]?.length ?? 1;
      headings = [...headings.filter((one) => one.level < level), { level, title: (heading["title"] ?? "").trim() }];
      open = undefined;
    } else if (line.trim() === "") {
      open = undefined;
    } else if (item !== undefined) {
      found.push((open = { ...at, lines: [item["text"] ?? ""], indent: (item["indent"] ?? "").length, isCode: false }));
    } else if (open === undefined || ROW.test(line)) {
      found.push((open = { ...at, lines: [line], isCode: false }));
    } else extend(open, line, index + 1);
  }
  return found.map((one, index) => toEntry(one, found[index + 1])).filter(({ text: words }) => HAS_WORDS.test(words));
}

function extend(open: Open | undefined, line: string, at: number): void {
  open?.lines.push(line);
  if (open !== undefined) open.endLine = at;
}

function toEntry({ startLine, endLine, lines, headings, isCode, indent }: Open, next: Open | undefined): NoteEntry {
  const text = lines
    .map((line) => line.trim())
    .join("\n")
    .trim();
  const hasItems = indent !== undefined && next?.indent !== undefined && next.indent > indent;
  const digest = createHash("sha256").update(text.normalize("NFC").split(/\s+/u).join(" ")).digest("hex");
  let tokens: ReadonlySet<string> | undefined;
  return {
    startLine,
    endLine,
    text,
    headings,
    isCode,
    hasItems,
    digest,
    // Of most entries only the digest is asked for.
    get tokens(): ReadonlySet<string> {
      return (tokens ??= new Set(tokenize(text)));
    },
  };
}
