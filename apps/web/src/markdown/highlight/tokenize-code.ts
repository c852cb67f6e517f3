import type { CodeToken } from "./code-token.ts";
import type { GrammarName } from "./languages.ts";

/** Asks for the pieces of code, chunk by chunk. */
export interface TokenizeRequest {
  readonly id: number;
  /** Whole lines; joined they are the code. */
  readonly chunks: readonly string[];
  readonly grammar: GrammarName;
}

/** The pieces of the next chunk of a request. */
export interface TokenizeAnswer {
  readonly id: number;
  readonly tokens: readonly CodeToken[];
}

let worker: Worker | undefined;
let lastId = 0;
const listeners = new Map<number, (tokens: readonly CodeToken[]) => void>();

/** Has code read, and calls back with the pieces of one chunk after the other; the result ends that. Without a connection nothing may come. */
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
  // It could not be loaded: the next block tries again.
  started.addEventListener("error", () => (worker = undefined));
  return started;
}
