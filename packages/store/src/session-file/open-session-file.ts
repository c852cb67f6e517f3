import type { FileHandle } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { StoreError } from "../port/store-error.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import { MAX_TRANSCRIPT_BYTES, openSource } from "./open-source.ts";
import { parseSessionFile } from "./parse-session-file.ts";
import type { FromSessionFileWorker, SessionFileJob } from "./session-file-job.ts";
import type { ParsedSessionFile, SessionFile } from "./session-file.ts";

/** Smaller files are read at once: a thread would cost more than it saves. */
const MAX_INLINE_BYTES = 1024 * 1024;
/** Heap limits of the reading thread, MiB. Old: a few of the longest lines, and some facts of each record. Young: most of the parsed data is short-lived. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 };

/** How a session file is read. */
export interface OpenSessionFileOptions {
  /** Path of the thread's program; defaults to the file in this folder, which a bundle must override. */
  readonly worker?: URL;
  readonly signal?: AbortSignal;
}

/** A file whose entries can be read until it is disposed of. */
export type OpenSessionFile = (SessionFile | ParsedSessionFile) & AsyncDisposable;

/**
 * Opens a foreign session file. A large one is read by a thread, one batch of entries ahead of its reader, so that neither its text nor the work burdens the
 * caller. Rejects with `invalid` if it is not a plain file, and with the system's error if it cannot be read.
 */
export async function openSessionFile(path: string, options: OpenSessionFileOptions = {}): Promise<OpenSessionFile> {
  const handle = await openSource(path, { maxBytes: MAX_TRANSCRIPT_BYTES });
  let sizeBytes: number;
  try {
    sizeBytes = (await handle.stat()).size;
    if (sizeBytes <= MAX_INLINE_BYTES) {
      const file = await parseSessionFile(handle.createReadStream({ autoClose: false }));
      return { ...file, [Symbol.asyncDispose]: async () => handle.close() };
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return readInThread(path, { handle, sizeBytes }, options);
}

async function readInThread(path: string, job: SessionFileJob, options: OpenSessionFileOptions): Promise<OpenSessionFile> {
  const thread = new ReadingThread(path, job, options);
  try {
    const first = await thread.next();
    if (first.type !== "facts") throw new StoreError("internal", `The thread that reads ${path} has sent no facts.`);
    return { ...first.facts, entries: entriesOf(thread), [Symbol.asyncDispose]: async () => thread.end() };
  } catch (error) {
    await thread.end();
    throw error;
  }
}

async function* entriesOf(thread: ReadingThread): AsyncIterable<ImportedEntry> {
  for (;;) {
    thread.ask();
    const message = await thread.next();
    if (message.type !== "entries") return;
    yield* message.entries;
  }
}

/** The thread, with at most one pending request. */
class ReadingThread {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #options: OpenSessionFileOptions;
  #failure: { readonly reason: unknown } | undefined;
  #awaited = Promise.withResolvers<FromSessionFileWorker>();

  constructor(path: string, job: SessionFileJob, options: OpenSessionFileOptions) {
    this.#path = path;
    this.#options = options;
    const program = options.worker ?? new URL("session-file-worker.ts", import.meta.url);
    this.#worker = new Worker(program, {
      workerData: job,
      transferList: [job.handle as FileHandle & ArrayBuffer],
      env: {},
      execArgv: program.pathname.endsWith(".ts") ? ["--conditions=factotum-source"] : [],
      resourceLimits: HEAP_LIMITS,
      stdout: true,
      stderr: true,
    });
    this.#worker
      .on("message", (message: FromSessionFileWorker) => this.#awaited.resolve(message))
      .on("error", (error) => this.#fail(unreadable(path, error.message)))
      .on("exit", () => this.#fail(unreadable(path, "its thread ended")));
    // Without a pending request, the next one reports the failure.
    this.#awaited.promise.catch(() => undefined);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal?.aborted === true) this.#onAbort();
  }

  /** Requests a batch; `next` returns it. */
  ask(): void {
    this.#awaited = Promise.withResolvers();
    this.#awaited.promise.catch(() => undefined);
    if (this.#failure === undefined) this.#worker.postMessage("next");
    else this.#awaited.reject(this.#failure.reason);
  }

  async next(): Promise<Exclude<FromSessionFileWorker, { readonly type: "failed" }>> {
    const message = await this.#awaited.promise;
    if (message.type === "failed") throw unreadable(this.#path, message.message);
    return message;
  }

  async end(): Promise<void> {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    await this.#worker.terminate();
  }

  readonly #onAbort = (): void => this.#fail(this.#options.signal?.reason);

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#awaited.reject(reason);
  }
}

function unreadable(path: string, cause: string): StoreError {
  return new StoreError("invalid", `${path} cannot be read to its end: ${cause}. Nothing of it was taken; import it again.`);
}
