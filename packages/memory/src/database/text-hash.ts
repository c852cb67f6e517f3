import { hash } from "node:crypto";
import type { MemorySourceKind } from "@factotum/agent-contract";

const PREFIXES: Readonly<Record<MemorySourceKind, string>> = { notes: "", sessions: "said:" };

/** Tells the text of a passage apart from others. The same text has another hash in another source. */
export function textHashOf(source: MemorySourceKind, text: string): string {
  return `${PREFIXES[source]}${hash("sha256", text, "base64url")}`;
}

/** The source of a passage with this hash. */
export function sourceOf(textHash: string): MemorySourceKind {
  return textHash.startsWith(PREFIXES.sessions) ? "sessions" : "notes";
}
