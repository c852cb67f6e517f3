import { Worker } from "node:worker_threads";
import type { Clock } from "@factotum/agent-contract";
import type { PageJob, PageMessage, PageText, SearchPage } from "./page-job.ts";

/** The dependencies of the reader. */
export interface PageReaderOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** Path of the thread's program; defaults to the file in this folder, which a bundle must override. */
  readonly worker?: URL;
  /** For one page. Default 5,000. */
  readonly timeoutMs?: number;
  /** How long an idle thread is kept. Default 10,000. */
  readonly idleMs?: number;
  /** Memory of the thread for objects, in MB. Default 96. */
  readonly maxMemoryMb?: number;
}

/** The text of a page, or why there is none. */
export type PageReading =
  | {
      readonly type: "page";
      readonly page: PageText;
      /** Why it is all text of the page instead of its main text. */
      readonly plainBecause?: string;
    }
  | { readonly type: "failed"; readonly message: string };

/** A page as it came, in its encoding. */
export type PageSource = Pick<Extract<PageJob, { type: "article" }>, "bytes" | "contentType" | "url" | "format">;

/** How long the thread may take to load. */
const START_MS = 30_000;

type Outcome = Exclude<PageMessage, { type: "ready" }>;

/**
 * Reads pages, one at a time, in a thread with limited memory that exists only while it is needed. A page that takes too long or too much ends the thread, and
 * the next page gets a new one.
 */
export class PageReader {
  readonly #options: PageReaderOptions;
  readonly #closing = new AbortController();
  #thread: { readonly worker: Worker; readonly ready: Promise<Outcome | undefined> } | undefined;
  #idle: Disposable | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PageReaderOptions) {
    this.#options = options;
  }

  /** The main text of a page; all of its text where that fails. Never rejects. */
  async readPage(source: PageSource, options: { readonly signal: AbortSignal }): Promise<PageReading> {
    const article = await this.#enqueue({ type: "article", ...source }, options.signal);
    if (article.type === "page") return article;
    const { bytes, contentType } = source;
    const plain = await this.#enqueue({ type: "plain", bytes, contentType }, options.signal);
    if (plain.type === "page") return { ...plain, plainBecause: messageOf(article) };
    return { type: "failed", message: messageOf(plain) };
  }

  /** The results of DuckDuckGo's page. Never rejects. */
  async readDuckDuckGo(bytes: Uint8Array, options: { readonly signal: AbortSignal }): Promise<SearchPage> {
    const read = await this.#enqueue({ type: "duckduckgo", bytes, contentType: "text/html; charset=utf-8" }, options.signal);
    return read.type === "search-page" ? read.searchPage : { type: "unknown" };
  }

  /** Whether the thread exists. */
  get isLoaded(): boolean {
    return this.#thread !== undefined;
  }

  /** Ends the thread; waiting pages fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
    await this.#discard();
  }

  async #enqueue(job: PageJob, outer: AbortSignal): Promise<Outcome> {
    const signal = AbortSignal.any([outer, this.#closing.signal]);
    const result = this.#last.then(async () => this.#run(job, signal));
    this.#last = result;
    return result;
  }

  async #run(job: PageJob, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return failed("it was stopped");
    this.#idle?.[Symbol.dispose]();
    const { worker, ready } = (this.#thread ??= this.#start());
    const { timeoutMs = 5_000 } = this.#options;
    const broken = await this.#within(START_MS, ready, signal);
    const result = broken ?? (await this.#within(timeoutMs, ask(worker, job), signal)) ?? failed("the page could not be read");
    // A parser that has failed may be in any state: the next page gets a new one.
    if (result.type === "failed") await this.#discard();
    else this.#scheduleEnd();
    return result;
  }

  /** Races work of the thread against a time limit and the signal. */
  async #within(limitMs: number, work: Promise<Outcome | undefined>, signal: AbortSignal): Promise<Outcome | undefined> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    using _timer = this.#options.clock.schedule(limitMs, () => resolve(failed(`it took longer than ${limitMs / 1_000} s`)));
    const onAbort = (): void => resolve(failed("it was stopped"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #start(): { readonly worker: Worker; readonly ready: Promise<Outcome | undefined> } {
    const { worker: program = new URL("page-worker.ts", import.meta.url), maxMemoryMb = 96 } = this.#options;
    const worker = new Worker(program, {
      // A parser needs nothing of the gateway's environment or flags.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    const thread = { worker, ready: next(worker) };
    // A thread that fails while idle must not end the process, and must not get the next page.
    const forget = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    worker.on("error", forget).on("exit", forget);
    return thread;
  }

  #scheduleEnd(): void {
    const { idleMs = 10_000, clock } = this.#options;
    this.#idle = clock.schedule(idleMs, () => {
      this.#last = this.#last.then(async () => this.#discard());
    });
  }

  async #discard(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#idle?.[Symbol.dispose]();
    await thread?.worker.terminate();
  }
}

function ask(worker: Worker, job: PageJob): Promise<Outcome | undefined> {
  const answer = next(worker);
  worker.postMessage(job);
  return answer;
}

/** The next message of a thread, or its end; `undefined` once it is ready. Never rejects. */
function next(worker: Worker): Promise<Outcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
  const onMessage = (message: PageMessage): void => settle(message.type === "ready" ? undefined : message);
  const onError = (error: unknown): void =>
    settle(failed(isOutOfMemory(error) ? "it took too much memory" : error instanceof Error ? error.message : "the parser failed"));
  const onExit = (): void => settle(failed("the parser broke down"));
  const settle = (outcome: Outcome | undefined): void => {
    worker.off("message", onMessage).off("error", onError).off("exit", onExit);
    resolve(outcome);
  };
  worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  return promise;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function messageOf(outcome: Outcome): string {
  return outcome.type === "failed" ? outcome.message : "the page could not be read";
}

function failed(message: string): Extract<Outcome, { type: "failed" }> {
  return { type: "failed", message };
}
