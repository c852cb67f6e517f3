import type { CodeToken } from "./code-token.ts";
import type { GrammarName } from "./languages.ts";

/** Requests the tokens of code, chunk by chunk. */
export interface TokenizeRequest {
  readonly id: number;
  /** Whole lines; joined they are the code. */
  readonly chunks: readonly string[];
  readonly grammar: GrammarName;
}

/** The tokens of the next chunk of a request. */
export interface TokenizeAnswer {
  readonly id: number;
  readonly tokens: readonly CodeToken[];
}

let worker: Worker | undefined;
let lastId = 0;
const listeners = new Map<number, (tokens: readonly CodeToken[]) => void>();

/**
 * Tokenizes code in a worker, and calls back with the tokens of one chunk after the other, until the returned function is called. Without a connection there
 * may be no call.
 */
export function tokenizeCode(code: Omit<TokenizeRequest, "id">, onChunk: (tokens: readonly CodeToken[]) => void): () => void {
  worker ??= startWorker();
  lastId += 1;
  const id = lastId;
  listeners.set(id, onChunk);
  worker.postMessage({ ...code, id } satisfies TokenizeRequest);
  return () => void listeners.delete(id);
}

function startWorker(): Worker {
  const started = new Worker(new URL("./tokenize-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data: { id, tokens } }: MessageEvent<TokenizeAnswer>) => listeners.get(id)?.(tokens));
  // Loading failed: the next block tries again.
  started.addEventListener("error", () => (worker = undefined));
  return started;
}
