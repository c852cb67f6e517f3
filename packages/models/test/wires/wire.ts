import type { ModelApi, ModelErrorCode, ModelInfo } from "@factotum/agent-contract";

/** One output of a scripted model. */
export type Said =
  | { readonly type: "text"; readonly pieces: readonly string[] }
  | { readonly type: "thinking"; readonly pieces: readonly string[]; readonly proof: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly pieces: readonly string[] };

export type Finish = "stop" | "tools" | "length" | "filter";

/** Tokens with cached ones counted separately: `input` excludes those from the cache. */
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
  /** The path of a request for the model above, relative to the server's root. */
  readonly path: string;
  readonly finishes: readonly Finish[];
  /** False if thinking has no proof that must be returned. */
  readonly signsThinking: boolean;
  /** Everything but the end of an answer. */
  readonly begin: (counts: Counts) => string[];
  readonly say: (said: readonly Said[]) => string[];
  readonly end: (finish: Finish, counts: Counts, said: readonly Said[]) => string[];
  /** The start of a tool call whose arguments are not complete. */
  readonly halfCall: string[];
  /** A failure in the middle of a stream, and its kind. */
  readonly failure: { readonly frame: string; readonly code: ModelErrorCode };
  /** An event that no client knows yet. */
  readonly unknown: string;
  /** A keep-alive. */
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

/** A list where a string is allowed too. */
export function asParts(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [content];
}

export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
