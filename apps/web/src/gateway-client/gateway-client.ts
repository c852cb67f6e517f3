import type { ChatEvent, ChatSnapshot, RpcEvents, RpcMethod, RpcMethods } from "@factotum/protocol";
import { backoffDelayMs } from "./backoff.ts";
import type { ClientName, EarlySubscription } from "./connect-frame.ts";
import { Connection, type ConnectionEnd, type GatewayEvent, type GatewaySocket } from "./connection.ts";
import { RpcError } from "./rpc-error.ts";
import type { Timers } from "./timers.ts";
import { t } from "../i18n/t.ts";

/** State of the page's connection to the gateway. */
export type ConnectionState =
  | { readonly type: "stopped" }
  | { readonly type: "connecting" }
  | { readonly type: "connected"; readonly serverVersion: string }
  /** Waits for the next attempt. `attempt` counts consecutive failures from 1. */
  | { readonly type: "waiting"; readonly attempt: number; readonly retryAtMs: number; readonly reason: string }
  | Extract<ConnectionEnd, { type: "refused" }>;

/** Follows one session. After each (re)connect it gets a snapshot, then every later event. */
export interface ChatWatcher {
  onSnapshot(snapshot: ChatSnapshot): void;
  onEvent(event: ChatEvent): void;
  /** The gateway refused the subscription. It is retried with the next connection. */
  onError(error: RpcError): void;
}

/** A socket on which a session may have been asked for already. */
export interface EarlyGatewaySocket extends GatewaySocket {
  readonly subscription?: EarlySubscription | undefined;
}

/** Options of the client. */
export interface GatewayClientOptions {
  openSocket(): EarlyGatewaySocket;
  readonly token: string;
  readonly client: ClientName;
  readonly timers: Timers;
  /** In [0, 1). */
  random(): number;
}

const REQUEST_TIMEOUT_MS = 30_000;
/** Milliseconds of silence after which the gateway is probed, */
const SILENCE_MS = 25_000;
/** and within which it must answer the probe. */
const PROBE_TIMEOUT_MS = 10_000;
/** Subscriptions that may be ending at the same time: the gateway refuses more than 64 of a connection. */
const MAX_ENDINGS = 16;
/** A connection that ends sooner counts as another consecutive failure. */
const STABLE_MS = 5_000;

interface Watch {
  readonly key: string;
  readonly watcher: ChatWatcher;
  /** The gateway's spelling of the key, known after its first response on this connection. */
  liveKey: string | undefined;
  /** Settles with that key when the gateway has answered on this connection, without one if it has refused. */
  subscribing: Promise<string | undefined> | undefined;
  /** Events that arrived before the snapshot that they follow. */
  early: RpcEvents["chat"][] | undefined;
}

/**
 * The page's connection to the gateway. Reconnects with backoff and jitter after a loss, probes after silence, and subscribes watched sessions again with a
 * fresh snapshot. Requests do not wait for a connection; they fail at once without one.
 */
export class GatewayClient {
  readonly #options: GatewayClientOptions;
  readonly #watches = new Set<Watch>();
  /** Subscriptions that are ending, by key. */
  readonly #endings = new Map<string, Promise<void>>();
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  readonly #eventListeners = new Set<(event: GatewayEvent) => void>();
  #connection: Connection | undefined;
  #early: EarlySubscription | undefined;
  #state: ConnectionState = { type: "stopped" };
  #attempt = 0;
  #readyAtMs: number | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Called after every change; call the returned function to stop. */
  onStateChange(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => void this.#stateListeners.delete(listener);
  }

  /** Called with every event except those of watched sessions; call the returned function to stop. */
  onEvent(listener: (event: GatewayEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  start(): void {
    if (this.#state.type === "stopped") this.#open();
  }

  stop(): void {
    this.#cancelTimer();
    this.#setState({ type: "stopped" });
    this.#connection?.drop(t("The page was closed."));
  }

  /** Ends the wait for the next attempt; an open connection is probed instead. For "try now", and when the machine wakes up. */
  retryNow(): void {
    if (this.#state.type === "waiting") this.#open();
    else if (this.#state.type === "connected") this.#probe();
  }

  /** Sends a request. Rejects with an RpcError. */
  async request<Method extends RpcMethod>(
    method: Method,
    params: RpcMethods[Method]["params"],
    options?: { readonly timeoutMs?: number },
  ): Promise<RpcMethods[Method]["result"]> {
    if (this.#connection === undefined) throw new RpcError("disconnected", t("There is no connection to the gateway."));
    return this.#connection.request(method, params, { timeoutMs: options?.timeoutMs ?? REQUEST_TIMEOUT_MS });
  }

  /** Follows a session through every reconnect until the returned function is called. At most one watch per session. */
  watchChat(sessionKey: string, watcher: ChatWatcher): () => void {
    const watch: Watch = { key: sessionKey, watcher, liveKey: undefined, subscribing: undefined, early: undefined };
    this.#watches.add(watch);
    this.#subscribe(watch);
    return () => {
      this.#watches.delete(watch);
      const { subscribing } = watch;
      // Without a connection there is no subscription either.
      if (this.#connection !== undefined && subscribing !== undefined) this.#endSubscription(this.#connection, { sessionKey, subscribing });
    };
  }

  #open(): void {
    this.#cancelTimer();
    this.#setState({ type: "connecting" });
    const { token, client, timers } = this.#options;
    const { subscription, ...socket } = this.#options.openSocket();
    this.#early = subscription;
    const connection: Connection = new Connection(
      { ...socket, token, client, timers },
      {
        onHello: (serverVersion) => this.#opened(serverVersion),
        onEvent: (event) => this.#receive(event),
        onEnd: (end) => this.#ended(end),
      },
    );
    this.#connection = connection;
  }

  #opened(serverVersion: string): void {
    this.#readyAtMs = this.#options.timers.now();
    this.#setState({ type: "connected", serverVersion });
    const early = this.#early;
    this.#early = undefined;
    const wanted = [...this.#watches].find(({ key }) => key === early?.sessionKey);
    if (early !== undefined && wanted === undefined) this.#endEarly(early);
    for (const watch of this.#watches) this.#subscribe(watch, watch === wanted ? early : undefined);
    this.#scheduleProbe();
  }

  /** Ends an early subscription that is not wanted: its events would follow the snapshot of another one. */
  #endEarly({ sessionKey, id }: EarlySubscription): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const subscribing = connection.request("chat.subscribe", { sessionKey }, { timeoutMs: REQUEST_TIMEOUT_MS, sentAs: id }).then(
      (snapshot) => snapshot.sessionKey,
      () => undefined,
    );
    this.#endSubscription(connection, { sessionKey, subscribing });
  }

  #endSubscription(
    connection: Connection,
    { sessionKey, subscribing }: { readonly sessionKey: string } & Pick<Required<Watch>, "subscribing">,
  ): void {
    const end = async (): Promise<void> => {
      const liveKey = await subscribing;
      // A failed request only costs a few ignored events.
      if (liveKey !== undefined)
        await connection.request("chat.unsubscribe", { sessionKey: liveKey }, { timeoutMs: REQUEST_TIMEOUT_MS }).catch(() => undefined);
    };
    const ending = end();
    this.#endings.set(sessionKey, ending);
    void ending.then(() => this.#endings.get(sessionKey) === ending && this.#endings.delete(sessionKey));
  }

  #subscribe(watch: Watch, early?: EarlySubscription): void {
    const connection = this.#connection;
    if (connection === undefined || !connection.ready || !this.#watches.has(watch) || watch.subscribing !== undefined) return;
    const ending = this.#endings.get(watch.key) ?? (this.#endings.size < MAX_ENDINGS ? undefined : Promise.race(this.#endings.values()));
    if (ending !== undefined) {
      // Otherwise events of the old subscription would be applied to the new snapshot.
      void ending.then(() => this.#subscribe(watch));
      return;
    }
    const isCurrent = (): boolean => this.#watches.has(watch) && this.#connection === connection;
    const onResult = (snapshot: ChatSnapshot): void => {
      if (!isCurrent()) return;
      watch.liveKey = snapshot.sessionKey;
      watch.watcher.onSnapshot(snapshot);
      const early = (watch.early ?? []).filter((payload) => payload.sessionKey === snapshot.sessionKey);
      watch.early = undefined;
      for (const payload of early) watch.watcher.onEvent(payload.event);
    };
    const onError = (error: unknown): undefined => {
      if (!(error instanceof RpcError)) throw error;
      if (isCurrent() && error.code !== "disconnected") watch.watcher.onError(error);
    };
    watch.early = [];
    watch.subscribing = connection
      .request("chat.subscribe", { sessionKey: watch.key }, { timeoutMs: REQUEST_TIMEOUT_MS, onResult, sentAs: early?.id })
      .then(({ sessionKey }) => sessionKey)
      .catch(onError);
  }

  #receive(event: GatewayEvent): void {
    if (event.type !== "chat") {
      for (const listener of this.#eventListeners) listener(event);
      return;
    }
    for (const watch of this.#watches) {
      if (watch.liveKey === undefined) watch.early?.push(event.payload);
      else if (watch.liveKey === event.payload.sessionKey) watch.watcher.onEvent(event.payload.event);
    }
  }

  #ended(end: ConnectionEnd): void {
    this.#connection = undefined;
    this.#cancelTimer();
    for (const watch of this.#watches) Object.assign(watch, { liveKey: undefined, subscribing: undefined, early: undefined });
    const now = this.#options.timers.now();
    if (this.#readyAtMs !== undefined && now - this.#readyAtMs >= STABLE_MS) this.#attempt = 0;
    this.#readyAtMs = undefined;
    if (this.#state.type === "stopped") return;
    if (end.type === "refused") {
      this.#setState(end);
      return;
    }
    const delayMs = backoffDelayMs(this.#attempt, this.#options.random());
    this.#attempt += 1;
    this.#cancelTimer = this.#options.timers.schedule(delayMs, () => this.#open());
    this.#setState({ type: "waiting", attempt: this.#attempt, retryAtMs: now + delayMs, reason: end.reason });
  }

  #scheduleProbe(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.timers.schedule(SILENCE_MS, () => {
      const connection = this.#connection;
      if (connection === undefined) return;
      if (this.#options.timers.now() - connection.lastFrameAtMs >= SILENCE_MS) this.#probe();
      this.#scheduleProbe();
    });
  }

  /** After sleep or a network change a dead socket can look open; only a response proves that it works. */
  #probe(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const dead = (error: unknown): void => {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === "timeout") connection.drop(t("The gateway stopped answering."));
    };
    connection.request("agents.list", {}, { timeoutMs: PROBE_TIMEOUT_MS }).catch(dead);
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }
}
