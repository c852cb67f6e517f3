import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay, createUnreadableEvents, PlatformFailure, reasonOf } from "@factotum/channel-kit";
import type { UnreadableEvents } from "@factotum/channel-kit";
import * as z from "zod";
import { domainOf, secretsOf } from "../api/feishu-api.ts";
import { createHttp } from "../api/http.ts";
import { loadSdk } from "../api/load-sdk.ts";
import type { Sdk, SdkHttp } from "../api/load-sdk.ts";
import { createSdkLogger } from "../api/sdk-logger.ts";
import type { FeishuConfig } from "../config.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptEvent } from "../inbound/accept-event.ts";
import type { Transport } from "./transport.ts";

const CONNECT_TIMEOUT_MS = 20_000;
const HANDSHAKE_TIMEOUT_MS = 15_000;
/** Timeout after a ping without a response. The platform sets the ping interval. */
const PING_TIMEOUT_SECONDS = 10;

const LookupSchema = z.looseObject({ code: z.number(), msg: z.string().default(""), data: z.looseObject({}).nullish() });

type Socket = InstanceType<Sdk["WSClient"]>;

/** Dependencies of the long connection. */
export interface LongConnectionParts {
  readonly config: FeishuConfig;
  readonly host: ChannelHost;
  readonly accept: AcceptEvent;
}

/** Creates the transport that connects to the platform. The SDK reconnects; when it gives up, the connection is reopened with backoff. */
export function createLongConnection(parts: LongConnectionParts): Transport {
  return new LongConnection(parts);
}

class LongConnection implements Transport {
  readonly #parts: LongConnectionParts;
  readonly #ended = new AbortController();
  readonly #handling = new Set<Promise<unknown>>();
  readonly #unreadable: UnreadableEvents;
  #socket: Socket | undefined;
  #starting: Promise<void> | undefined;
  #retry: Disposable | undefined;
  #attempt = 0;
  #state: ChannelHealth["state"] = "starting";
  #detail: string | undefined;
  #evidenceAtMs: number | undefined;

  constructor(parts: LongConnectionParts) {
    this.#parts = parts;
    this.#unreadable = createUnreadableEvents(parts.host);
  }

  start(options: CallOptions): Promise<void> {
    if (this.#ended.signal.aborted)
      return Promise.reject(toChannelError(new Error("a stopped channel is not started again; make a new one")));
    this.#starting ??= this.#connect(options.signal).catch((error: unknown) => {
      this.#starting = undefined;
      this.#down(error instanceof Error ? error.message : "the connection failed");
      throw toChannelError(error);
    });
    return this.#starting;
  }

  handleWebhook(): Promise<Response> {
    return Promise.resolve(new Response(null, { status: 404 }));
  }

  health(): ChannelHealth {
    return this.#unreadable.addTo({
      state: this.#state,
      ...(this.#evidenceAtMs !== undefined && { evidenceAtMs: this.#evidenceAtMs }),
      ...(this.#detail !== undefined && { detail: this.#detail }),
    });
  }

  async stop({ signal }: CallOptions): Promise<void> {
    this.#ended.abort();
    this.#retry?.[Symbol.dispose]();
    // Events that are being stored are still acknowledged.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (!signal.aborted) await Promise.race([Promise.allSettled(this.#handling), late]);
    this.#close();
    this.#state = "stopped";
    this.#detail = undefined;
  }

  /** Opens a connection; resolves when events can arrive. */
  async #connect(signal: AbortSignal): Promise<void> {
    const { config, host } = this.#parts;
    const sdk = await loadSdk();
    AbortSignal.any([signal, this.#ended.signal]).throwIfAborted();
    this.#close();
    const opened = Promise.withResolvers<void>();
    let lookup: PlatformFailure | undefined;
    let stood = false;
    const fail = (failure: PlatformFailure): void => {
      lookup = failure;
      // An unreachable platform is reported at once, without waiting for the SDK's own retries.
      if (failure.reason.type !== "refused") opened.reject(failure);
    };
    const socket = new sdk.WSClient({
      appId: config.appId,
      appSecret: config.appSecret,
      domain: domainOf(config, sdk),
      httpInstance: watchLookup(createHttp({ fetch: host.fetch, clock: host.clock, throwOnCode: false }), fail),
      logger: createSdkLogger(host.logger, secretsOf(config)),
      loggerLevel: sdk.LoggerLevel.warn,
      handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
      wsConfig: { pingTimeout: PING_TIMEOUT_SECONDS },
      onReady: () => {
        stood = true;
        this.#up();
        opened.resolve();
      },
      onReconnected: () => this.#up(),
      onReconnecting: () => this.#down("the connection broke; reconnecting"),
      onError: (error) => {
        const failure = lookup ?? new PlatformFailure({ type: "not-sent" }, error.message, { cause: error });
        if (stood) this.#gaveUp(socket, failure);
        else opened.reject(failure);
      },
    });
    this.#socket = socket;
    await this.#open({ sdk, socket, opened, signal });
  }

  async #open(input: { sdk: Sdk; socket: Socket; opened: PromiseWithResolvers<void>; signal: AbortSignal }): Promise<void> {
    const { sdk, socket, opened, signal } = input;
    const { host } = this.#parts;
    const onAbort = (): void => opened.reject(new PlatformFailure({ type: "not-sent" }, "the start was ended", { cause: signal.reason }));
    const ends = AbortSignal.any([signal, this.#ended.signal]);
    ends.addEventListener("abort", onAbort, { once: true });
    using _timer = host.clock.schedule(CONNECT_TIMEOUT_MS, () =>
      opened.reject(new PlatformFailure({ type: "not-sent" }, "Feishu did not answer in time")),
    );
    try {
      await socket.start({ eventDispatcher: this.#dispatcher(sdk) });
      await opened.promise;
    } catch (error) {
      if (this.#socket === socket) this.#close();
      throw error;
    } finally {
      ends.removeEventListener("abort", onAbort);
    }
  }

  /** The SDK's dispatcher, which passes each event on unchanged: the SDK's own parsing merges header and body into one object. */
  #dispatcher(sdk: Sdk): InstanceType<Sdk["EventDispatcher"]> {
    const { host, config } = this.#parts;
    const dispatcher = new sdk.EventDispatcher({
      logger: createSdkLogger(host.logger, secretsOf(config)),
      loggerLevel: sdk.LoggerLevel.warn,
    });
    dispatcher.invoke = async (payload: unknown): Promise<undefined> => {
      const handled = this.#handle(payload);
      this.#handling.add(handled);
      try {
        await handled;
      } finally {
        this.#handling.delete(handled);
      }
    };
    return dispatcher;
  }

  /** Rejects when the event is not stored: the SDK answers 500, and the platform sends it again. */
  async #handle(payload: unknown): Promise<void> {
    const { host, accept } = this.#parts;
    if (this.#ended.signal.aborted) throw new Error("the channel is stopped");
    this.#evidenceAtMs = host.clock.now();
    try {
      const outcome = await accept(payload, { signal: this.#ended.signal });
      this.#detail = undefined;
      if (outcome.type === "ignored") host.logger.info("feishu event ignored", { reason: outcome.reason });
      if (outcome.type === "unreadable") this.#unreadable.record(outcome.reason);
      if (outcome.type === "other-account") host.logger.warn("feishu event of another app ignored");
    } catch (error) {
      this.#detail = "an event could not be stored; Feishu will send it again";
      host.logger.error("feishu event not stored", { error: reasonOf(error) });
      throw error;
    }
  }

  #up(): void {
    this.#attempt = 0;
    this.#state = "connected";
    this.#detail = undefined;
    this.#evidenceAtMs = this.#parts.host.clock.now();
  }

  #down(detail: string): void {
    if (this.#ended.signal.aborted) return;
    this.#state = "disconnected";
    this.#detail = detail;
  }

  /** The SDK does not retry an established connection. One that was never established is handled by its opener. */
  #gaveUp(socket: Socket, failure: PlatformFailure): void {
    if (this.#ended.signal.aborted || this.#socket !== socket) return;
    this.#close();
    this.#down(failure.message);
    this.#connectLater();
  }

  #connectLater(): void {
    const { host } = this.#parts;
    const delayMs = backoffDelay(this.#attempt, { random: host.random });
    this.#attempt += 1;
    host.logger.warn("feishu connection lost", { delayMs, detail: this.#detail });
    this.#retry = host.clock.schedule(delayMs, () => {
      this.#connect(this.#ended.signal).catch((error: unknown) => {
        if (this.#ended.signal.aborted) return;
        this.#down(error instanceof Error ? error.message : "the connection failed");
        this.#connectLater();
      });
    });
  }

  #close(): void {
    this.#socket?.close({ force: true });
    this.#socket = undefined;
  }
}

/** Sees the answer of the address lookup, which the SDK reports only in its log. */
function watchLookup(http: SdkHttp, fail: (failure: PlatformFailure) => void): SdkHttp {
  const request = async (options: Parameters<SdkHttp["request"]>[0]): Promise<unknown> => {
    try {
      const answer = LookupSchema.parse(await http.request<unknown>(options));
      if (answer.code !== 0)
        fail(
          new PlatformFailure(
            { type: "refused", code: String(answer.code), status: 200 },
            `Feishu answered ${answer.code}: ${answer.msg.slice(0, 300)}`,
          ),
        );
      // The SDK destructures the object without checking it.
      return { ...answer, data: answer.data ?? {} };
    } catch (error) {
      fail(
        error instanceof PlatformFailure
          ? error
          : new PlatformFailure({ type: "no-answer" }, "the address lookup failed", { cause: error }),
      );
      throw error;
    }
  };
  return { ...http, request: request as SdkHttp["request"] };
}
