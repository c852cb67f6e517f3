import type { ModelApi, ModelErrorCode, ModelInfo } from "@factotum/agent-contract";

/** One thing that a scripted model says. */
export type Said =
  | { readonly type: "text"; readonly pieces: readonly string[] }
  | { readonly type: "thinking"; readonly pieces: readonly string[]; readonly proof: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly pieces: readonly string[] };

export type Finish = "stop" | "tools" | "length" | "filter";

/** Tokens as a person would count them: `input` without what came from the cache. */
export interface Counts {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** One wire format as a server speaks it, written from the vendor's documentation. */
export interface Wire {
  readonly name: string;
  readonly api: ModelApi;
  readonly info: Partial<ModelInfo> & { readonly provider: string; readonly id: string };
  /** Where a request for the model above must arrive, when the base address is the server's root. */
  readonly path: string;
  readonly finishes: readonly Finish[];
  /** False where thinking has no proof that must be given back. */
  readonly signsThinking: boolean;
  /** Everything but the end: what was said so far. */
  readonly begin: (counts: Counts) => string[];
  readonly say: (said: readonly Said[]) => string[];
  readonly end: (finish: Finish, counts: Counts, said: readonly Said[]) => string[];
  /** The beginning of a tool call whose arguments are not complete. */
  readonly halfCall: string[];
  /** A failure in the middle of a stream, and what it is. */
  readonly failure: { readonly frame: string; readonly code: ModelErrorCode };
  /** An event that no client knows yet. */
  readonly unknown: string;
  /** Says nothing, but keeps the connection. */
  readonly keepAlive: string;
  readonly overflow: { readonly status: number; readonly body: unknown };
  /** The conversation of a request as a flat list of role and part, without cache marks. */
  readonly flatten: (body: Record<string, unknown>) => unknown[];
}

export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export function event(name: string, value: Record<string, unknown>): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...value })}\n\n`;
}

/** A whole answer. */
export function answerOf(wire: Wire, said: readonly Said[], finish: Finish, counts: Counts): string[] {
  return [...wire.begin(counts), ...wire.say(said), ...wire.end(finish, counts, said)];
}

/** A list that may stand where a string may stand too. */
export function asParts(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [content];
}

export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
