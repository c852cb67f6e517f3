import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { FakeSlackApp } from "./app.ts";

/** The outcome of an envelope. */
export type SlackDelivery = "acknowledged" | "unacknowledged";

const ACK_TIMEOUT_MS = 3_000;

/** Socket Mode: the WebSocket through which the platform passes events, commands and interactions to an app. */
export class SlackSocketMode {
  /** Host and port of the server; set once it listens. */
  address = "";
  /** Number of connections opened so far. */
  opened = 0;
  /** If true, connections get no `hello`. */
  silent = false;
  readonly #app: FakeSlackApp;
  readonly #ackTimeoutMs: number;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #acks = new Map<string, { readonly socket: WebSocket; readonly resolve: (delivery: SlackDelivery) => void }>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #newest: WebSocket | undefined;

  constructor(app: FakeSlackApp, options: { readonly ackTimeoutMs?: number } = {}) {
    this.#app = app;
    this.#ackTimeoutMs = options.ackTimeoutMs ?? ACK_TIMEOUT_MS;
    this.#server.on("connection", (socket: WebSocket) => this.#connected(socket));
  }

  /** Number of open connections. */
  get open(): number {
    return [...this.#server.clients].filter((socket) => socket.readyState === socket.OPEN).length;
  }

  /** Resolves once `count` connections have been opened since the start. */
  async connected(count = 1): Promise<void> {
    if (this.opened >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  /** The address of one connection, as `apps.connections.open` names it. */
  openUrl(): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(ticket);
    return `ws://${this.address}/link/?ticket=${ticket}&app_id=${this.#app.appId}`;
  }

  /** Passes an envelope to the newest connection; resolves with its acknowledgement. */
  async deliver(type: "events_api" | "slash_commands" | "interactive", payload: unknown): Promise<SlackDelivery> {
    const socket = this.#newest;
    if (socket?.readyState !== socket?.OPEN || socket === undefined) throw new Error("no client is connected");
    const envelopeId = randomBytes(12).toString("hex");
    const { promise, resolve } = Promise.withResolvers<SlackDelivery>();
    const timer = setTimeout(() => resolve("unacknowledged"), this.#ackTimeoutMs);
    this.#acks.set(envelopeId, { socket, resolve });
    socket.send(
      JSON.stringify({
        envelope_id: envelopeId,
        type,
        payload,
        accepts_response_payload: type !== "events_api",
        ...(type === "events_api" && { retry_attempt: 0, retry_reason: "" }),
      }),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#acks.delete(envelopeId);
    }
  }

  /** Sends a message that is no envelope to the newest connection. */
  send(message: object): void {
    this.#newest?.send(JSON.stringify(message));
  }

  /** Sends bytes that are not a message of the platform. */
  sendGarbage(bytes: Uint8Array): void {
    for (const socket of this.#server.clients) socket.send(bytes, { binary: false });
  }

  /** Breaks every connection without a closing handshake. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Stops reading from every connection: a peer that is gone without a word. */
  freeze(): void {
    for (const socket of this.#server.clients) socket.pause();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", `http://${this.address}`);
    if (url.pathname !== "/link/" || !this.#tickets.delete(url.searchParams.get("ticket") ?? "")) return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (client) => this.#server.emit("connection", client, request));
  }

  close(): void {
    this.drop();
    this.#server.close();
  }

  #connected(socket: WebSocket): void {
    this.#newest = socket;
    this.opened += 1;
    if (!this.silent)
      socket.send(
        JSON.stringify({
          type: "hello",
          num_connections: this.open,
          connection_info: { app_id: this.#app.appId },
          debug_info: { host: "fake", approximate_connection_time: 18060 },
        }),
      );
    for (const waiting of this.#waiting) if (this.opened >= waiting.count) waiting.resolve();
    socket.on("message", (bytes: Buffer) => {
      const { envelope_id: id } = JSON.parse(bytes.toString("utf8")) as { envelope_id?: string };
      if (id !== undefined) this.#acks.get(id)?.resolve("acknowledged");
    });
    socket.once("close", () => {
      for (const ack of this.#acks.values()) if (ack.socket === socket) ack.resolve("unacknowledged");
    });
  }
}
