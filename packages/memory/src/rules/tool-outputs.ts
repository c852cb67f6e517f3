import type { NoteEntry } from "../entries/note-entries.ts";
import { tokenize } from "../tokens/tokenize.ts";

/** What tools have answered in a conversation, and what people have written there. */
export interface ConversationTexts {
  readonly outputs: readonly string[];
  readonly said: readonly string[];
}

/** A line with fewer tokens can be the same by chance. */
const MIN_LINE_TOKENS = 2;
/** A part of a line with fewer tokens can. */
const MIN_PART_TOKENS = 6;

/** Whether an entry is copied from the results of tools: every line of it stands there, word for word, and no person has said it. */
export function isCopied(entry: NoteEntry, texts: PreparedTexts): boolean {
  const lines = linesOf(entry.text);
  return lines.length > 0 && lines.every((line) => isIn(line, texts) && !holds(texts.said, line));
}

/** The texts of a conversation, ready for comparison. */
export interface PreparedTexts {
  readonly lines: ReadonlySet<string>;
  /** The words of all lines, each line between spaces. */
  readonly outputs: string;
  readonly said: string;
}

/** Prepares the texts once for all entries of a write. */
export function prepareTexts({ outputs, said }: ConversationTexts): PreparedTexts {
  const lines = outputs.flatMap(linesOf);
  return { lines: new Set(lines), outputs: joined(lines), said: joined(said.map(wordsOf)) };
}

function isIn(line: string, { lines, outputs }: PreparedTexts): boolean {
  const count = line.split(" ").length;
  return count >= MIN_LINE_TOKENS && (lines.has(line) || (count >= MIN_PART_TOKENS && holds(outputs, line)));
}

function joined(texts: readonly string[]): string {
  return texts.map((text) => ` ${text} `).join("\n");
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n?|\n/u)
    .map(wordsOf)
    .filter((line) => line !== "");
}

function wordsOf(text: string): string {
  return tokenize(text).join(" ");
}

function holds(text: string, words: string): boolean {
  return text.includes(` ${words} `);
}
