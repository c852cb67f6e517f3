import { randomBytes, randomUUID } from "node:crypto";
import type { ForgottenCall } from "@factotum/store";
import type { ForgetPlaces } from "./forget-places.ts";
import { forgottenLines } from "./forgotten-lines.ts";
import type { Tombstone } from "./forgotten-list.ts";
import { readNotes, readVersions } from "./read-notes.ts";
import { createTextPattern } from "./text-patterns.ts";

/** What the owner asks to forget. */
export type ForgetScope =
  | { readonly type: "session"; readonly key: string }
  /** From, inclusive, to, exclusive; milliseconds since the epoch. */
  | { readonly type: "span"; readonly fromMs: number; readonly toMs: number }
  | { readonly type: "search"; readonly text: string };

/** The tombstone of a decision, without the lines of notes. */
export function createTombstone(scope: ForgetScope, nowMs: number): Tombstone {
  const salt = randomBytes(16).toString("hex");
  return {
    id: randomUUID(),
    atMs: nowMs,
    salt,
    sessions: scope.type === "session" ? [createTextPattern(scope.key, salt)] : [],
    ...(scope.type === "span" ? { span: { fromMs: scope.fromMs, toMs: scope.toMs } } : {}),
    texts: scope.type === "search" ? patternsOf(scope.text, salt) : [],
    lines: [],
    doneIn: [],
  };
}

/** The tombstone with the lines of notes that forgotten calls wrote. */
export async function withLines(tombstone: Tombstone, calls: readonly ForgottenCall[], places: ForgetPlaces): Promise<Tombstone> {
  const lines = forgottenLines(calls, { notes: await readNotes(places), versions: await readVersions(places) });
  return { ...tombstone, lines: lines.map((line) => createTextPattern(line, tombstone.salt)) };
}

/** In stored texts it may be quoted inside JSON. */
function patternsOf(text: string, salt: string): Tombstone["texts"] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])].map((one) => createTextPattern(one, salt));
}
