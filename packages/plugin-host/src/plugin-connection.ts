import type { Clock } from "@factotum/agent-contract";
import type { FromPlugin, ToPlugin } from "./child/messages.ts";
import type { PluginChannel } from "./plugin-channel.ts";
import { PluginError } from "./plugin-error.ts";

/** What a connection passes on. */
export interface ConnectionHandlers {
  /** `signal` fires when the plugin ends: then nothing waits for the answer. */
  readonly ask: (method: string, params: readonly unknown[], options: { readonly signal: AbortSignal }) => Promise<unknown>;
  readonly log: (line: Extract<FromPlugin, { type: "log" }>) => void;
  /** Something failed that belongs to no call. */
  readonly fault: (message: string) => void;
}

/** A call without its number. */
export type PluginRequest =
  | Omit<Extract<ToPlugin, { type: "tool" }>, "call">
  | Omit<Extract<ToPlugin, { type: "hook" }>, "call">
  | Omit<Extract<ToPlugin, { type: "model" }>, "call">
  | Omit<Extract<ToPlugin, { type: "memory" }>, "call">
  | Omit<Extract<ToPlugin, { type: "command" }>, "call">
  | Omit<Extract<ToPlugin, { type: "route" }>, "call">;

/** How a call is made. */
export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** After the signal the plugin's own end of the call is waited for, so that the caller can count what it works on. */
  readonly awaitsEnd?: boolean;
  /** Takes the pieces of a model's answer; `more` asks for further ones. */
  readonly onChunk?: (value: unknown, more: () => void) => void;
}

interface Pending {
  readonly onChunk: CallOptions["onChunk"];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: PluginError) => void;
}

/** Milliseconds until the runtime of a plugin runs, on a busy machine. */
const HELLO_MS = 10_000;
/** Services that a plugin waits for at once. */
const MAX_ASKS = 32;

/** A running plugin. */
export class PluginConnection {
  readonly #channel: PluginChannel;
  readonly #clock: Clock;
  readonly #handlers: ConnectionHandlers;
  readonly #calls = new Map<number, Pending>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<Extract<FromPlugin, { type: "ready" }>>();
  readonly #end = new AbortController();
  #called = 0;
  #asks = 0;
  #isOver = false;

  constructor(channel: PluginChannel, clock: Clock, handlers: ConnectionHandlers) {
    this.#channel = channel;
    this.#clock = clock;
    this.#handlers = handlers;
    for (const { promise } of [this.#hello, this.#ready]) promise.catch(() => undefined);
    channel.onMessage = (message) => this.#take(message);
    void channel.ended.then((why) => this.#close(why));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  /** Resolves with why it has ended. Never rejects. */
  get ended(): Promise<string> {
    return this.#channel.ended;
  }

  /** Sets the plugin up within `setupMs`. Resolves with what it has registered. Rejects with a `PluginError`, and then it is ended. */
  async setUp(message: Extract<ToPlugin, { type: "setup" }>, setupMs: number): Promise<Extract<FromPlugin, { type: "ready" }>> {
    try {
      await this.#within(this.#hello.promise, HELLO_MS, "not-started");
      this.#channel.send(message);
      return await this.#within(this.#ready.promise, setupMs, "not-started");
    } catch (error) {
      this.end(error instanceof Error ? error.message : "it could not be set up");
      throw error;
    }
  }

  /** Calls a tool or a handler. Rejects with a `PluginError`; one that did not answer in time is ended, because nothing else stops its code. */
  async call(request: PluginRequest, { timeoutMs, signal, onChunk, awaitsEnd = false }: CallOptions): Promise<unknown> {
    this.#called += 1;
    const call = this.#called;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(call, { resolve, reject, onChunk });
    const abort = (): void => {
      this.#channel.send({ type: "cancel", call });
      if (!awaitsEnd) reject(new PluginError("aborted", "the call was stopped"));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) reject(new PluginError("aborted", "the call was stopped"));
      else if (this.#isOver) reject(new PluginError("ended", "it has ended"));
      else if (this.#channel.send({ ...request, call }) === "full") {
        reject(new PluginError("ended", "it does not read what it is sent"));
        this.end("it does not read what it is sent");
      }
      return await this.#within(promise, timeoutMs, "timeout");
    } catch (error) {
      if (PluginError.isInstance(error) && error.code === "timeout") this.end(error.message);
      throw error;
    } finally {
      this.#calls.delete(call);
      signal.removeEventListener("abort", abort);
    }
  }

  end(why: string): void {
    this.#channel.end(why);
    this.#close(why);
  }

  #close(why: string): void {
    this.#isOver = true;
    this.#end.abort();
    const code = this.#calls.size > 0 ? "ended" : "not-started";
    for (const { reject } of [this.#hello, this.#ready, ...this.#calls.values()]) reject(new PluginError(code, why));
  }

  async #within<Value>(work: Promise<Value>, limitMs: number, code: "not-started" | "timeout"): Promise<Value> {
    const late = Promise.withResolvers<never>();
    const seconds = limitMs / 1_000;
    using _timer = this.#clock.schedule(limitMs, () => late.reject(new PluginError(code, `it did not answer within ${seconds} s`)));
    return await Promise.race([work, late.promise]);
  }

  #take(message: FromPlugin): void {
    switch (message.type) {
      case "hello":
        return this.#hello.resolve();
      case "ready":
        return this.#ready.resolve(message);
      case "failed":
        return this.#ready.reject(new PluginError("not-started", `it could not be set up: ${message.message}`));
      case "result":
        return this.#calls.get(message.call)?.resolve(message.value);
      case "error":
        return this.#calls
          .get(message.call)
          ?.reject(new PluginError("failed", `it failed: ${message.message.slice(0, 500)}`, statusOf(message)));
      case "chunk":
        return this.#calls
          .get(message.call)
          ?.onChunk?.(message.value, () => void this.#channel.send({ type: "more", call: message.call, chunks: 1 }));
      case "fault":
        return this.#handlers.fault(message.message.slice(0, 500));
      case "log":
        return this.#handlers.log(message);
      case "ask":
        void this.#answer(message);
    }
  }

  async #answer({ ask, method, params }: Extract<FromPlugin, { type: "ask" }>): Promise<void> {
    if (this.#asks >= MAX_ASKS) {
      this.#channel.send({ type: "answer", ask, error: `more than ${MAX_ASKS} requests wait` });
      return;
    }
    this.#asks += 1;
    try {
      const value = await this.#handlers.ask(method, params, { signal: this.#end.signal });
      this.#channel.send({ type: "answer", ask, value: value as never });
    } catch (error) {
      this.#channel.send({ type: "answer", ask, error: error instanceof Error ? error.message : "it could not be done" });
    } finally {
      this.#asks -= 1;
    }
  }
}

function statusOf({ status }: Extract<FromPlugin, { type: "error" }>): { readonly status?: number } {
  return status === undefined ? {} : { status };
}
