import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelErrorCode, ChannelHost } from "@factotum/channel-contract";
import { openWebSocket, parseJson } from "@factotum/channel-kit";
import type { SocketControl, WebSocketConnection } from "@factotum/channel-kit";
import * as z from "zod";
import type { GatewaySession } from "./session-store.ts";

/** One event of the platform, as it stands in the frame. */
export interface GatewayEvent {
  readonly name: string;
  readonly sequence: number;
  readonly data: unknown;
}

/** One connection and what it reports. */
export interface GatewayConnectionOptions extends CallOptions {
  readonly url: string;
  readonly token: string;
  readonly intents: number;
  /** The session to resume; without it a new one is begun. */
  readonly session: GatewaySession | undefined;
  readonly host: Pick<ChannelHost, "clock" | "random">;
  /** Number of the last stored event, for heartbeats: the platform may forget events up to it. */
  readonly stored: () => number | null;
  /** Anything arrived. */
  readonly onEvidence: () => void;
  /** Events in order. The first of a new session is READY, with which `ready` opens the connection, or `end` ends it. */
  readonly onEvent: (event: GatewayEvent, socket: Pick<SocketControl, "ready" | "end">) => void;
  /** The identification or the request to resume has left. */
  readonly onLogin: () => void;
  /** The platform refuses to resume. */
  readonly onInvalidSession: () => void;
}

const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalidSession: 9, hello: 10, heartbeatAck: 11 } as const;
const FrameSchema = z.looseObject({ op: z.number().int(), t: z.string().nullish(), s: z.number().int().nullish(), d: z.unknown() });
const HelloSchema = z.looseObject({ heartbeat_interval: z.number().positive() });

/** A session survives any code but 1000 and 1001. */
const OWN_CLOSE = 4_900;
const OPEN_TIMEOUT_MS = 30_000;

/** What the platform's close codes mean; others are temporary. */
const GATEWAY_CLOSE_CODES: Readonly<Record<number, ChannelErrorCode>> = {
  4004: "unauthorized",
  4008: "rate-limited",
  4010: "rejected",
  4011: "rejected",
  4012: "rejected",
  4013: "rejected",
  4014: "forbidden",
};

/** Opens a connection: resumes the session or begins one, then answers heartbeats. Rejects with a ChannelError. */
export async function openGatewayConnection(options: GatewayConnectionOptions): Promise<WebSocketConnection> {
  const { url, signal, host } = options;
  const protocol = new Protocol(options);
  const address = new URL(url);
  for (const [key, value] of [
    ["v", "10"],
    ["encoding", "json"],
  ] as const)
    address.searchParams.set(key, value);
  try {
    const connection = await openWebSocket({
      url: address.href,
      platform: "Discord",
      clock: host.clock,
      signal,
      awaitsReady: true,
      openTimeoutMs: OPEN_TIMEOUT_MS,
      closeCode: OWN_CLOSE,
      closeCodes: GATEWAY_CLOSE_CODES,
      onMessage: (data, socket) => protocol.receive(data, socket),
    });
    void connection.ended.then(() => protocol[Symbol.dispose]());
    return connection;
  } catch (error) {
    protocol[Symbol.dispose]();
    throw error;
  }
}

class Protocol implements Disposable {
  readonly #options: GatewayConnectionOptions;
  #beat: Disposable | undefined;
  #isAcknowledged = true;

  constructor(options: GatewayConnectionOptions) {
    this.#options = options;
  }

  receive(data: string | Uint8Array, socket: SocketControl): void {
    const frame = FrameSchema.safeParse(parseJson(data));
    // A frame that cannot be read is ignored.
    if (!frame.success) return;
    this.#options.onEvidence();
    const { op, t: name, s: sequence, d } = frame.data;
    switch (op) {
      case OP.hello:
        return this.#hello(d, socket);
      case OP.heartbeatAck:
        this.#isAcknowledged = true;
        return;
      case OP.heartbeat:
        return this.#sendHeartbeat(socket);
      case OP.reconnect:
        return socket.end(temporary("Discord asks for a new connection"));
      case OP.invalidSession:
        if (d !== true) this.#options.onInvalidSession();
        return socket.end(temporary("Discord does not continue the session"));
      case OP.dispatch:
        if (typeof name !== "string" || typeof sequence !== "number") return;
        if (name === "RESUMED") socket.ready();
        this.#options.onEvent({ name, sequence, data: d }, socket);
    }
  }

  [Symbol.dispose](): void {
    this.#beat?.[Symbol.dispose]();
  }

  #hello(data: unknown, socket: SocketControl): void {
    const hello = HelloSchema.safeParse(data);
    if (!hello.success) return socket.end(temporary("Discord's greeting cannot be read"));
    const { token, intents, session, host, onLogin } = this.#options;
    const { heartbeat_interval: intervalMs } = hello.data;
    this.#beat?.[Symbol.dispose]();
    // With jitter: many clients may have lost their connection at once.
    this.#beat = host.clock.schedule(Math.floor(intervalMs * host.random.float()), () => this.#onBeat(intervalMs, socket));
    const login =
      session === undefined
        ? {
            op: OP.identify,
            d: { token, intents, properties: { os: process.platform, browser: "factotum", device: "factotum" }, large_threshold: 50 },
          }
        : { op: OP.resume, d: { token, session_id: session.id, seq: session.sequence } };
    socket.send(JSON.stringify(login));
    onLogin();
  }

  #onBeat(intervalMs: number, socket: SocketControl): void {
    if (!this.#isAcknowledged) return socket.end(temporary("Discord's connection has gone silent"));
    this.#isAcknowledged = false;
    this.#sendHeartbeat(socket);
    this.#beat = this.#options.host.clock.schedule(intervalMs, () => this.#onBeat(intervalMs, socket));
  }

  #sendHeartbeat(socket: SocketControl): void {
    socket.send(JSON.stringify({ op: OP.heartbeat, d: this.#options.stored() }));
  }
}

/** A failure after which the connection is opened again. */
export function temporary(message: string): ChannelError {
  return new ChannelError("unreachable", message, { retry: { type: "backoff" } });
}
