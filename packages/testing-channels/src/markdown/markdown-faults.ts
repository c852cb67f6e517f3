import { MARKDOWN_CORPUS } from "./corpus.ts";
import type { DialectRules } from "./dialect-rules.ts";
import { comparable, visibleText, type VisibleMarks, type VisiblePiece } from "./visible-text.ts";

/** How a dialect is rendered, and what it is compared with. */
export interface MarkdownCheck {
  readonly rules: DialectRules;
  /** Renders a text as messages; within the limit, if one is given. */
  readonly render: (source: string, maxLength?: number) => readonly string[];
  /** The pieces of a text, as the dialect flattens it. */
  readonly pieces: (source: string) => readonly VisiblePiece[];
  /** Cuts a source into chunks that are rendered one by one. */
  readonly chunk: (source: string) => readonly string[];
  readonly marks: VisibleMarks;
  /** What a message shows; that of the rules by default. */
  readonly shown?: (message: string) => string;
  /** Limits of messages; without a limit in any case. Two short ones by default. */
  readonly limits?: readonly number[];
}

/**
 * Renders every text of the corpus whole, within limits, and chunk by chunk. Resolves to one line for each message that the rules refuse, and for each text that
 * is not shown as it was written; white space and zero-width spaces are not compared.
 */
export function markdownFaults(check: MarkdownCheck): readonly string[] {
  const { rules, render, pieces, chunk, marks, shown = (message) => rules.shown(message), limits = [64, 300] } = check;
  return MARKDOWN_CORPUS.flatMap(({ name, source }) => {
    const faults: string[] = [];
    const accepted = (messages: readonly string[], how: string): void => {
      for (const message of messages) {
        const reason = refusalOf(rules, message);
        if (reason !== undefined) faults.push(`${name}, ${how}: ${reason} in ${JSON.stringify(message)} of ${JSON.stringify(source)}`);
      }
    };
    const expected = visibleText(pieces(source), marks);
    for (const limit of [undefined, ...limits]) {
      const how = limit === undefined ? "whole" : `within ${limit}`;
      const messages = render(source, limit);
      accepted(messages, how);
      const text = comparable(messages.map((message) => shown(message)).join("\n"), marks);
      if (text !== expected)
        faults.push(`${name}, ${how}: shows ${JSON.stringify(text)} instead of ${JSON.stringify(expected)}: ${JSON.stringify(messages)}`);
    }
    for (const part of chunk(source)) accepted(render(part), "a chunk");
    return faults;
  });
}

/** Why the rules refuse a message. */
export function refusalOf(rules: DialectRules, message: string): string | undefined {
  try {
    rules.check(message);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
