import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelErrorCode, Clock } from "@factotum/channel-contract";
import type { SupervisedConnection } from "./connection-supervisor.ts";
import { raceAbort } from "./race-abort.ts";

/** What the handlers of a connection can do with it. After its end nothing has an effect. */
export interface SocketControl {
  send(data: string): void;
  /** The platform has accepted the connection. Only with `awaitsReady`. */
  ready(): void;
  /** Ends the connection, such as after a refusal in a message. */
  end(failure: Error): void;
}

/** A connection and its protocol. */
export interface WebSocketOptions extends CallOptions {
  readonly url: string;
  /** Name of the platform, for messages. */
  readonly platform: string;
  readonly clock: Pick<Clock, "schedule">;
  /** Called once the transport is open, such as to log in. */
  readonly onOpen?: (socket: SocketControl) => void;
  /** Called with each message in order; text as a string. Must not throw. */
  readonly onMessage: (data: string | Uint8Array, socket: SocketControl) => void;
  /** The connection is open only once `ready` is called, and not already with its transport. */
  readonly awaitsReady?: boolean;
  /** Milliseconds until the connection must be open; 15,000 by default. */
  readonly openTimeoutMs?: number;
  /** A connection without a message for two intervals has ended. `ping` makes the message that the platform answers, if it sends none by itself. */
  readonly heartbeat?: { readonly intervalMs: number; readonly ping?: () => string };
  /** Code of the channel's own close, 3000 to 4999, on platforms where it decides whether a session can be resumed. None by default. */
  readonly closeCode?: number;
  /** What the platform's close codes mean; others as `CLOSE_CODES`. */
  readonly closeCodes?: Readonly<Record<number, ChannelErrorCode>>;
}

/** An open connection, for a supervisor. `ended` resolves with a ChannelError. */
export interface WebSocketConnection extends SupervisedConnection {
  send(data: string): void;
}

const OPEN_TIMEOUT_MS = 15_000;

/** What close codes mean on every platform; others are `unreachable`. */
export const CLOSE_CODES: Readonly<Record<number, ChannelErrorCode>> = {
  1002: "rejected",
  1003: "rejected",
  1007: "rejected",
  1008: "forbidden",
  1009: "too-long",
  1010: "rejected",
  3000: "unauthorized",
  3003: "forbidden",
};

/**
 * Opens a connection with the WebSocket of the runtime. Rejects with a ChannelError if it does not open in time, the signal fires, or the platform closes it
 * before; and with the failure of `end`. Pings of the transport are answered by the runtime and are no sign of life here.
 */
export async function openWebSocket(options: WebSocketOptions): Promise<WebSocketConnection> {
  const { signal, clock, platform, openTimeoutMs = OPEN_TIMEOUT_MS } = options;
  if (signal.aborted) throw unreachable("the connection was ended before it was open", signal.reason);
  const connection = new Connection(options);
  const onAbort = (): void => connection.end(unreachable("the connection was ended before it was open", signal.reason));
  signal.addEventListener("abort", onAbort, { once: true });
  using _timer = clock.schedule(openTimeoutMs, () => connection.end(unreachable(`${platform} did not open the connection in time`)));
  try {
    await connection.opened;
    return connection;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

class Connection implements WebSocketConnection, SocketControl {
  readonly #options: WebSocketOptions;
  readonly #socket: WebSocket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Error>();
  readonly #closed = Promise.withResolvers<void>();
  #heartbeat: Disposable | undefined;
  #silentIntervals = 0;
  #isOver = false;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => undefined);
    this.#socket = new WebSocket(options.url);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () => {
      if (this.#isOver) return;
      options.onOpen?.(this);
      if (options.awaitsReady !== true) this.ready();
    });
    this.#socket.addEventListener("message", ({ data: received }) => {
      const data = received as string | ArrayBuffer;
      this.#silentIntervals = 0;
      if (!this.#isOver) options.onMessage(typeof data === "string" ? data : new Uint8Array(data), this);
    });
    // `close` follows an error, and says more.
    this.#socket.addEventListener("close", ({ code, reason }) => {
      this.#closed.resolve();
      this.end(this.#failureOf(code, reason));
    });
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get ended(): Promise<Error> {
    return this.#ended.promise;
  }

  send(data: string): void {
    if (!this.#isOver && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  ready(): void {
    if (this.#isOver) return;
    this.#opened.resolve();
    this.#heartbeat ??= this.#beat();
  }

  end(failure: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heartbeat?.[Symbol.dispose]();
    this.#socket.close(this.#options.closeCode);
    this.#opened.reject(failure);
    this.#ended.resolve(failure);
  }

  async close(options: CallOptions): Promise<void> {
    this.end(unreachable("the connection was closed"));
    await raceAbort(this.#closed.promise, options).catch(() => undefined);
  }

  #beat(): Disposable | undefined {
    const { heartbeat, clock, platform } = this.#options;
    if (heartbeat === undefined) return undefined;
    return clock.schedule(heartbeat.intervalMs, () => {
      this.#silentIntervals += 1;
      if (this.#silentIntervals >= 2) return this.end(unreachable(`${platform}'s connection has gone silent`));
      if (heartbeat.ping !== undefined) this.send(heartbeat.ping());
      this.#heartbeat = this.#beat();
    });
  }

  #failureOf(code: number, reason: string): ChannelError {
    const { platform, closeCodes = {} } = this.#options;
    const meaning = closeCodes[code] ?? CLOSE_CODES[code] ?? "unreachable";
    // Without a close frame the code is 1006: the network, or a refusal of the handshake.
    const text =
      code === 1006
        ? `${platform}'s connection failed`
        : `${platform} closed the connection (${code}${reason === "" ? "" : `: ${printable(reason)}`})`;
    const isTemporary = meaning === "unreachable" || meaning === "rate-limited";
    return new ChannelError(meaning, text, { retry: { type: isTemporary ? "backoff" : "never" } });
  }
}

function unreachable(message: string, cause?: unknown): ChannelError {
  return new ChannelError("unreachable", message, { retry: { type: "backoff" }, cause });
}

/** Texts of the platform, without control characters. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, "").slice(0, 120);
}
