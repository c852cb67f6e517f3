import { randomBytes, randomUUID } from "node:crypto";
import { ChannelError, MAX_REPLY_CONTEXT_BYTES } from "@factotum/channel-contract";
import type {
  AccountProgress,
  ChannelHost,
  Clock,
  HostCommand,
  HostCommands,
  Logger,
  MsgContext,
  Random,
} from "@factotum/channel-contract";
import type { ConformanceGateway } from "./platform.ts";
import { MemoryAccountState } from "./memory-account-state.ts";

/** A test gateway: it keeps its state when the channel is created again, and can be told to fail. */
export class TestHost implements ChannelHost, ConformanceGateway {
  readonly accountId = "second";
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /** Every log line, as JSON. */
  readonly logLines: string[] = [];
  readonly logger: Logger = this.#loggerWith({});
  /** Messages passed in, including duplicates. */
  readonly received: MsgContext[] = [];
  /** Stored messages. */
  readonly stored: MsgContext[] = [];
  readonly state: MemoryAccountState;
  readonly webhookUrl: string | undefined = undefined;
  readonly commands: HostCommands = {
    list: () => this.#commands,
    onChange: (callback) => {
      this.#commandListeners.add(callback);
      return { [Symbol.dispose]: () => void this.#commandListeners.delete(callback) };
    },
  };
  readonly #keys = new Set<string>();
  readonly #commandListeners = new Set<() => void>();
  #commands: readonly HostCommand[] = [
    { name: "new", summary: "Start a new session" },
    { name: "think", summary: "Set the thinking level" },
  ];
  #cursor: string | undefined;
  #failures = 0;
  #gate: Promise<void> | undefined;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  readonly #disregarded = new Set<string>();
  readonly #passing = new Map<string, ((answer: "accepted" | "duplicate" | "failed") => void)[]>();
  readonly #waitingForStored: { readonly count: number; readonly resolve: () => void }[] = [];

  /** Real time, randomness and network by default. */
  constructor(given: Partial<Pick<ChannelHost, "clock" | "random" | "fetch">> = {}) {
    this.clock = given.clock ?? realClock;
    this.state = new MemoryAccountState(() => this.clock.now());
    this.random = given.random ?? realRandom;
    this.fetch = given.fetch ?? fetch;
  }

  /** The files at public addresses. */
  readonly publicFiles: Map<string, Uint8Array> = new Map<string, Uint8Array>();

  async fetchPublic(url: string, { maxBytes }: { readonly maxBytes: number }): Promise<Uint8Array> {
    const bytes = this.publicFiles.get(url);
    if (bytes === undefined) throw new ChannelError("forbidden", `${url} is no public address`, { retry: { type: "never" } });
    if (bytes.length > maxBytes) throw new ChannelError("too-long", "the file is too large", { retry: { type: "never" } });
    return bytes;
  }

  /** What `admits` answers. */
  isAdmitted = true;

  admits(): boolean {
    return this.isAdmitted;
  }

  async receive(message: MsgContext, progress: AccountProgress = {}): Promise<"accepted" | "duplicate"> {
    let answer: "accepted" | "duplicate" | "failed" = "failed";
    try {
      answer = this.#disregarded.has(message.eventId) ? "accepted" : await this.#receive(message, progress);
      return answer;
    } finally {
      const waiting = this.#passing.get(message.eventId) ?? [];
      this.#passing.delete(message.eventId);
      // The channel learns the answer first.
      for (const resolve of waiting) setImmediate(() => resolve(answer));
    }
  }

  async #receive(message: MsgContext, progress: AccountProgress): Promise<"accepted" | "duplicate"> {
    this.received.push(message);
    for (const { count, resolve } of this.#waiting) if (this.received.length >= count) resolve();
    await this.#gate;
    if (Buffer.byteLength(message.replyContext?.data ?? "") > MAX_REPLY_CONTEXT_BYTES)
      throw new RangeError("The reply context is too large.");
    this.#failIfTold();
    this.#apply(progress);
    const { channel, accountId, conversation } = message.origin;
    const key = JSON.stringify([channel, accountId, conversation.id, message.eventId]);
    if (this.#keys.has(key)) return "duplicate";
    this.#keys.add(key);
    this.stored.push(message);
    // The channel learns the answer first.
    for (const { count, resolve } of this.#waitingForStored) if (this.stored.length >= count) setImmediate(resolve);
    return "accepted";
  }

  async commit(progress: AccountProgress): Promise<void> {
    await this.#gate;
    this.#failIfTold();
    this.#apply(progress);
  }

  /** Replaces the slash commands and tells the channel. */
  setCommands(commands: readonly HostCommand[]): void {
    this.#commands = commands;
    for (const listener of this.#commandListeners) listener();
  }

  cursor(): Promise<string | undefined> {
    return Promise.resolve(this.#cursor);
  }

  /** The next call of `receive` or `commit` rejects. */
  failNext(): void {
    this.#failures += 1;
  }

  /** Calls of `receive` and `commit` wait until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return () => {
      this.#gate = undefined;
      resolve();
    };
  }

  passedOn(eventId: string): Promise<"accepted" | "duplicate" | "failed"> {
    const { promise, resolve } = Promise.withResolvers<"accepted" | "duplicate" | "failed">();
    this.#passing.set(eventId, [...(this.#passing.get(eventId) ?? []), resolve]);
    return promise;
  }

  disregard(eventId: string): void {
    this.#disregarded.add(eventId);
  }

  /** Resolves once `count` messages were passed in. */
  async handedOver(count: number): Promise<void> {
    if (this.received.length >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  /** Resolves once `count` messages are stored. */
  async storedMessages(count: number): Promise<void> {
    if (this.stored.length >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingForStored.push({ count, resolve });
    await promise;
  }

  #failIfTold(): void {
    if (this.#failures === 0) return;
    this.#failures -= 1;
    throw new Error("the store is full");
  }

  #apply({ cursor, state = [] }: AccountProgress): void {
    this.state.apply(state);
    this.#cursor = cursor ?? this.#cursor;
  }

  #loggerWith(fields: Readonly<Record<string, unknown>>): Logger {
    const write = (level: string) => (message: string, more?: Readonly<Record<string, unknown>>) => {
      this.logLines.push(JSON.stringify({ level, message, ...fields, ...more }));
    };
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: (more) => this.#loggerWith({ ...fields, ...more }),
    };
  }
}

const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

const realRandom: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID(), float: () => Math.random() };
