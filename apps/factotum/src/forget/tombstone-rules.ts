import type { ForgetRules } from "@factotum/store";
import type { Tombstone } from "./forgotten-list.ts";
import { createTextPattern, TextFinder } from "./text-patterns.ts";

const INSTEAD = "[forgotten]";

/** The predicates of a tombstone. */
export interface TombstoneRules extends ForgetRules {
  /** A text that has to go: it has one of the texts, or quotes a line. */
  isGone(text: string): boolean;
}

/** Creates the predicates of a tombstone. */
export function createTombstoneRules({ atMs, salt, sessions, span, texts, lines }: Tombstone): TombstoneRules {
  const keys = new Set(sessions.map(({ digest }) => digest));
  const [searched, quoted] = [new TextFinder(texts, salt), new TextFinder(lines, salt)];
  return {
    atMs,
    isSession: (key) => keys.has(createTextPattern(key, salt).digest),
    isTime: (timeMs) => span !== undefined && timeMs >= span.fromMs && timeMs < span.toMs && timeMs <= atMs,
    isText: (text) => texts.length > 0 && searched.has(text),
    redact: (text) => (lines.length === 0 ? text : quoted.replace(text, INSTEAD)),
    isGone: (text) => (texts.length > 0 && searched.has(text)) || (lines.length > 0 && quoted.has(text)),
  };
}
