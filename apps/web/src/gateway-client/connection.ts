import {
  CLOSE_CODES,
  CONNECT_TIMEOUT_MS,
  MAX_FRAME_BYTES,
  RPC_EVENTS,
  RPC_METHODS,
  type RpcEvent,
  type RpcEvents,
  type RpcMethod,
  type RpcMethods,
  type ServerFrame,
  ServerFrameSchema,
} from "@factotum/protocol";
import { type ClientName, connectFrame, requestFrame } from "./connect-frame.ts";
import { RpcError } from "./rpc-error.ts";
import type { Timers } from "./timers.ts";
import { msg, t } from "../i18n/t.ts";

/** How a connection ended. `refused` is final: a retry with the same token and page has the same result. */
export type ConnectionEnd =
  | { readonly type: "lost"; readonly reason: string }
  | { readonly type: "refused"; readonly reason: "unauthorized" | "unsupported-protocol"; readonly message: string };

/** An event with its payload. */
export type GatewayEvent = { readonly [Name in RpcEvent]: { readonly type: Name; readonly payload: RpcEvents[Name] } }[RpcEvent];

/** Receives the events of a connection. `onEnd` is the last call, exactly once. */
export interface ConnectionListener {
  onHello(serverVersion: string): void;
  onEvent(event: GatewayEvent): void;
  onEnd(end: ConnectionEnd): void;
}

/** A socket on which a connection begins. */
export interface GatewaySocket {
  readonly socket: WebSocket;
  /** What has arrived, if the first frame was sent already, before the program was loaded. */
  readonly received?: readonly unknown[];
  /** How it was closed after that. */
  readonly closed?: CloseEvent;
}

/** Options of a connection. */
export interface ConnectionOptions extends GatewaySocket {
  readonly token: string;
  readonly client: ClientName;
  readonly timers: Timers;
}

interface PendingRequest {
  settle(frame: Extract<ServerFrame, { type: "res" }>): void;
  fail(error: RpcError): void;
}

const NEWER_GATEWAY = msg("The gateway speaks a newer form of the protocol than this page. Reload the page.");

/** One WebSocket from opening to end: the handshake, requests with their responses, events in order without gaps. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  readonly #pending = new Map<string, PendingRequest>();
  readonly #listening = new AbortController();
  #cancelHelloTimer: () => void = () => undefined;
  #ready = false;
  #ended = false;
  #lastSeq = 0;
  #requests = 0;
  #refusal: string | undefined;
  /** Time of the last received frame, milliseconds since the epoch. */
  lastFrameAtMs: number;

  constructor(options: ConnectionOptions, listener: ConnectionListener) {
    this.#options = options;
    this.#listener = listener;
    this.lastFrameAtMs = options.timers.now();
    const { socket, received, closed, timers } = options;
    const listening = { signal: this.#listening.signal };
    // The listener is told of nothing before it has the connection.
    if (received !== undefined)
      queueMicrotask(() => {
        for (const data of received) this.#receive(data);
        if (closed !== undefined) this.#closed(closed);
      });
    else if (socket.readyState === socket.OPEN) queueMicrotask(() => this.#connect());
    else socket.addEventListener("open", () => this.#connect(), listening);
    socket.addEventListener("message", (message: MessageEvent<unknown>) => this.#receive(message.data), listening);
    socket.addEventListener("close", (close) => this.#closed(close), listening);
    this.#cancelHelloTimer = timers.schedule(CONNECT_TIMEOUT_MS, () => this.drop(t("The gateway did not answer in time.")));
  }

  /** True between the hello and the end. */
  get ready(): boolean {
    return this.#ready && !this.#ended;
  }

  /**
   * Sends a request, unless it was sent before as `sentAs`. `onResult` runs before any later frame is processed, the promise settles after it. Rejects with an
   * RpcError.
   */
  request<Method extends RpcMethod>(
    method: Method,
    params: RpcMethods[Method]["params"],
    options: {
      readonly timeoutMs: number;
      readonly onResult?: (result: RpcMethods[Method]["result"]) => void;
      readonly sentAs?: string | undefined;
    },
  ): Promise<RpcMethods[Method]["result"]> {
    return new Promise((resolve, reject) => {
      if (!this.ready) {
        reject(new RpcError("disconnected", t("There is no connection to the gateway.")));
        return;
      }
      const id = options.sentAs ?? String(++this.#requests);
      const text = requestFrame(id, method, params);
      if (new TextEncoder().encode(text).length > MAX_FRAME_BYTES) {
        reject(new RpcError("too-large", t("This is too long for one message. Send it in parts, or as a file in the workspace.")));
        return;
      }
      const timedOut = (): void => {
        this.#pending.delete(id);
        reject(new RpcError("timeout", t("The gateway did not answer in time. Try again.")));
      };
      const cancelTimer = this.#options.timers.schedule(options.timeoutMs, timedOut);
      this.#pending.set(id, {
        settle: (frame) => {
          cancelTimer();
          if (!frame.ok) {
            const { code, message, problems } = frame.error;
            reject(new RpcError(code, message, { problems }));
            return;
          }
          const parsed = RPC_METHODS[method].result.safeParse(frame.result);
          if (!parsed.success) {
            reject(new RpcError("internal", t(NEWER_GATEWAY), { cause: parsed.error }));
            return;
          }
          options.onResult?.(parsed.data);
          resolve(parsed.data);
        },
        fail: (error) => {
          cancelTimer();
          reject(error);
        },
      });
      if (options.sentAs === undefined) this.#options.socket.send(text);
    });
  }

  /** Abandons the connection at once: a half-open one would not answer to a close. */
  drop(reason: string): void {
    this.#end({ type: "lost", reason });
  }

  #connect(): void {
    const { token, client, socket } = this.#options;
    socket.send(connectFrame(token, client));
  }

  #receive(data: unknown): void {
    if (this.#ended) return;
    this.lastFrameAtMs = this.#options.timers.now();
    const frame = parseFrame(data);
    if (frame === undefined) {
      this.#end({ type: "refused", reason: "unsupported-protocol", message: t(NEWER_GATEWAY) });
      return;
    }
    switch (frame.type) {
      case "hello":
        this.#cancelHelloTimer();
        this.#ready = true;
        this.#listener.onHello(frame.server.version);
        return;
      case "res": {
        const pending = this.#pending.get(frame.id);
        this.#pending.delete(frame.id);
        pending?.settle(frame);
        return;
      }
      case "event":
        this.#receiveEvent(frame);
        return;
      case "refused":
        this.#refusal = frame.error.message;
    }
  }

  #receiveEvent(frame: Extract<ServerFrame, { type: "event" }>): void {
    if (frame.seq !== this.#lastSeq + 1) {
      this.drop(t("Events were lost on the way."));
      return;
    }
    this.#lastSeq = frame.seq;
    // An unknown event is not needed by this page.
    if (!isEventName(frame.event)) return;
    const parsed = RPC_EVENTS[frame.event].safeParse(frame.payload);
    if (!parsed.success) {
      this.#end({ type: "refused", reason: "unsupported-protocol", message: t(NEWER_GATEWAY) });
      return;
    }
    this.#listener.onEvent({ type: frame.event, payload: parsed.data } as GatewayEvent);
  }

  #closed(close: CloseEvent): void {
    if (close.code === CLOSE_CODES.unauthorized) {
      const message = this.#refusal ?? t("The gateway did not accept the token.");
      this.#end({ type: "refused", reason: "unauthorized", message });
    } else if (close.code === CLOSE_CODES.unsupportedProtocol) {
      this.#end({ type: "refused", reason: "unsupported-protocol", message: this.#refusal ?? t(NEWER_GATEWAY) });
    } else this.#end({ type: "lost", reason: this.#refusal ?? reasonOf(close.code) });
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listening.abort();
    this.#cancelHelloTimer();
    this.#options.socket.close();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of pending) request.fail(new RpcError("disconnected", t("The connection to the gateway was lost.")));
    this.#listener.onEnd(end);
  }
}

function parseFrame(data: unknown): ServerFrame | undefined {
  if (typeof data !== "string") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = ServerFrameSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

function isEventName(name: string): name is RpcEvent {
  return Object.hasOwn(RPC_EVENTS, name);
}

function reasonOf(code: number): string {
  if (code === CLOSE_CODES.shutdown) return t("The gateway is stopping or restarting.");
  if (code === CLOSE_CODES.slowConsumer) return t("This page could not keep up with the gateway.");
  return t("The gateway cannot be reached.");
}
