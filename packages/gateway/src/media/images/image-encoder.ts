import { Worker } from "node:worker_threads";
import type { Clock } from "@factotum/agent-contract";
import type { CodecChoice, EncodeJob, EncodeResult } from "./encode-job.ts";

/** The dependencies of the encoder. */
export interface ImageEncoderOptions {
  readonly clock: Clock;
  /** Path of the thread's program; defaults to the file in this folder, which a bundle must override. */
  readonly worker?: URL;
  readonly codec?: CodecChoice;
  /** For one image. Default 30,000. */
  readonly timeoutMs?: number;
  /** How long an idle thread is kept. Default 20,000. */
  readonly idleMs?: number;
}

/**
 * Reduces images, one at a time, in a thread that exists only while it is needed. A decoder that takes too long or fails is ended with its thread; the next
 * image gets a new one.
 */
export class ImageEncoder {
  readonly #options: ImageEncoderOptions;
  readonly #closing = new AbortController();
  #worker: Worker | undefined;
  #idle: Disposable | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ImageEncoderOptions) {
    this.#options = options;
  }

  /** Never rejects: an image that cannot be changed in time, or not at all, is `failed`. */
  async encode(job: EncodeJob, options: { readonly signal: AbortSignal }): Promise<EncodeResult> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const result = this.#last.then(async () => this.#run(job, signal));
    this.#last = result;
    return result;
  }

  /** Whether the thread exists. */
  get isLoaded(): boolean {
    return this.#worker !== undefined;
  }

  /** Ends the thread; waiting images fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
    await this.#discard();
  }

  async #run(job: EncodeJob, signal: AbortSignal): Promise<EncodeResult> {
    if (signal.aborted) return { type: "failed", message: "it was stopped" };
    this.#idle?.[Symbol.dispose]();
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve } = Promise.withResolvers<EncodeResult>();
    const fail = (message: string) => () => resolve({ type: "failed", message });
    const onError = (error: Error): void => fail(error.message)();
    const onAbort = fail("it was stopped");
    const onExit = fail("the decoder broke down");
    worker.once("message", resolve).once("error", onError).once("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    const { timeoutMs = 30_000, clock } = this.#options;
    const timer = clock.schedule(timeoutMs, fail("it took too long"));
    worker.postMessage(job);
    const result = await promise;
    timer[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
    worker.off("message", resolve).off("error", onError).off("exit", onExit);
    // A failed decoder may be in any state: the next image gets a new one.
    if (result.type === "failed") await this.#discard();
    else this.#scheduleEnd();
    return result;
  }

  #start(): Worker {
    const { worker = new URL("image-worker.ts", import.meta.url), codec = "auto" } = this.#options;
    // A decoder needs nothing of the gateway's environment or flags.
    const started = new Worker(worker, { workerData: { codec }, env: {}, execArgv: [], stdout: true, stderr: true });
    started.unref();
    // A thread that fails while idle must not end the process, and must not get the next image.
    const forget = (): void => {
      if (this.#worker === started) this.#worker = undefined;
    };
    started.on("error", forget).on("exit", forget);
    return started;
  }

  #scheduleEnd(): void {
    const { idleMs = 20_000, clock } = this.#options;
    this.#idle = clock.schedule(idleMs, () => {
      this.#last = this.#last.then(async () => this.#discard());
    });
  }

  async #discard(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#idle?.[Symbol.dispose]();
    await worker?.terminate();
  }
}
