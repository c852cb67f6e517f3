import type { CallOptions, Clock } from "@factotum/channel-contract";
import { parseJson } from "@factotum/channel-kit";
import WebSocket from "ws";
import * as z from "zod";
import type { Delivery } from "../inbound/accept-interaction.ts";

/** What a connection tells its owner. */
export interface SocketEvents {
  /** Anything arrived from the platform. */
  evidence(): void;
  /** Resolves with true once the delivery may be acknowledged. Never rejects. */
  deliver(delivery: Delivery): Promise<boolean>;
  /** The platform announces that it will close the connection. */
  closing(reason: string): void;
  /** The connection is closed; called once, and not for one that was never open. */
  closed(reason: string): void;
}

/** How often the platform is asked for a sign of life. */
const PING_INTERVAL_MS = 15_000;
/** A connection without one for this long is dead. The platform sends pings of its own, too. */
const SILENCE_MS = 35_000;
const HELLO_TIMEOUT_MS = 15_000;
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

const TYPES: Readonly<Record<string, Delivery["type"] | undefined>> = {
  events_api: "event",
  slash_commands: "command",
  interactive: "interaction",
};

const MessageSchema = z.looseObject({
  type: z.string(),
  envelope_id: z.string().min(1).optional(),
  payload: z.unknown().optional(),
  reason: z.string().optional(),
});

/** One WebSocket of Socket Mode. */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #events: SocketEvents;
  readonly #handling = new Set<Promise<void>>();
  readonly #hello = Promise.withResolvers<void>();
  #isOpen = false;
  #isClosed = false;
  #heardAtMs: number;
  #timer: Disposable | undefined;

  /** Opens the address that `apps.connections.open` named. */
  constructor(url: string, clock: Clock, events: SocketEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#heardAtMs = clock.monotonic();
    this.#hello.promise.catch(() => undefined);
    this.#socket = new WebSocket(url, { maxPayload: MAX_MESSAGE_BYTES, handshakeTimeout: HELLO_TIMEOUT_MS, followRedirects: false });
    this.#socket.on("message", (data: WebSocket.RawData) => this.#received(data));
    this.#socket.on("ping", () => this.#heard());
    this.#socket.on("pong", () => this.#heard());
    // `close` follows.
    this.#socket.on("error", (error) => this.#hello.reject(error));
    this.#socket.once("close", (code) => this.#ended(`the connection was closed (${code})`));
  }

  /** Resolves once the platform has greeted; rejects if it does not in time, and the connection is then closed. */
  async opened({ signal }: CallOptions): Promise<void> {
    const onAbort = (): void => this.#hello.reject(new Error("the start was ended", { cause: signal.reason }));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    using _timer = this.#clock.schedule(HELLO_TIMEOUT_MS, () => this.#hello.reject(new Error("Slack did not greet in time")));
    try {
      await this.#hello.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Resolves once what was received is handled and acknowledged. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#handling);
  }

  /** Closes at once. Calls `closed` no more. */
  close(): void {
    this.#isOpen = false;
    this.#timer?.[Symbol.dispose]();
    this.#socket.close(1000);
    // The platform does not always answer the closing handshake.
    this.#socket.terminate();
  }

  #heard(): void {
    this.#heardAtMs = this.#clock.monotonic();
    this.#events.evidence();
  }

  #watch(): void {
    this.#timer = this.#clock.schedule(PING_INTERVAL_MS, () => {
      if (this.#clock.monotonic() - this.#heardAtMs >= SILENCE_MS) {
        this.#socket.terminate();
        return this.#ended("Slack has gone silent");
      }
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
      this.#watch();
    });
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#hello.reject(new Error(reason));
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen) this.#events.closed(reason);
  }

  #received(data: WebSocket.RawData): void {
    this.#heard();
    const message = MessageSchema.safeParse(parseJson(bytesOf(data)));
    // What is not a message of the platform gets no acknowledgement.
    if (!message.success) return;
    const { type, envelope_id: envelopeId, payload, reason = "" } = message.data;
    if (type === "hello") {
      if (!this.#isOpen) this.#watch();
      this.#isOpen = true;
      return this.#hello.resolve();
    }
    if (type === "disconnect") {
      this.#hello.reject(new Error(`Slack refused the connection: ${reason.slice(0, 80)}`));
      return this.#events.closing(reason);
    }
    if (envelopeId === undefined) return;
    const handled = this.#handle(envelopeId, TYPES[type], payload);
    this.#handling.add(handled);
    void handled.finally(() => this.#handling.delete(handled));
  }

  async #handle(envelopeId: string, type: Delivery["type"] | undefined, payload: unknown): Promise<void> {
    const mayAcknowledge = type === undefined || (await this.#events.deliver({ type, payload }));
    if (mayAcknowledge && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ envelope_id: envelopeId }));
  }
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer);
}
