import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { FakeFeishuApp } from "./app.ts";
import type { FeishuEnvelope } from "./events.ts";
import { decodeFrame, encodeFrame, headerOf } from "./frame.ts";

/** The platform's settings for pings and reconnects of a client, in seconds. */
export interface ClientConfig {
  readonly PingInterval: number;
  readonly ReconnectCount: number;
  readonly ReconnectInterval: number;
  readonly ReconnectNonce: number;
}

interface Delivery {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

/** The socket through which the platform pushes events to an app. */
export class FeishuLongConnection {
  /** Host and port of the server; set once it listens. */
  address = "";
  clientConfig: ClientConfig = { PingInterval: 120, ReconnectCount: -1, ReconnectInterval: 0, ReconnectNonce: 0 };
  /** Faults for the next address lookups, oldest first. */
  readonly lookupFaults: { readonly code: number; readonly message: string }[] = [];
  /** If true, pings get no answer. */
  silent = false;
  /** Number of connections opened so far. */
  opened = 0;
  pings = 0;
  /** Number of the newest connection on which the client has sent something, from 1. */
  #used = 0;
  readonly #app: FakeFeishuApp;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #deliveries = new Map<string, Delivery>();
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(app: FakeFeishuApp) {
    this.#app = app;
    this.#server.on("connection", (socket: WebSocket) => this.#connected(socket));
  }

  /** Number of open connections. */
  get open(): number {
    return [...this.#server.clients].filter((socket) => socket.readyState === socket.OPEN).length;
  }

  /**
   * Resolves once `count` connections have been opened since the start, and the newest of them was used: the official SDK pings as soon as it is connected, and drops what arrives
   * before it listens, together with the response to the handshake. The platform delivers that again; `deliver` does not.
   */
  async connected(count = 1): Promise<void> {
    if (this.#used >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  /** Pushes an event and resolves with the status that the client answered: 200 or 500. Rejects if the connection breaks before. */
  async deliver(envelope: FeishuEnvelope, options: { readonly fragments?: number } = {}): Promise<number> {
    const [socket] = this.#server.clients;
    if (socket === undefined) throw new Error("no client is connected");
    const messageId = randomBytes(8).toString("hex");
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#deliveries.set(messageId, { resolve, reject });
    const bytes = Buffer.from(JSON.stringify(envelope));
    const fragments = options.fragments ?? 1;
    const size = Math.ceil(bytes.length / fragments);
    for (let seq = 0; seq < fragments; seq += 1) {
      const headers = { type: "event", message_id: messageId, sum: String(fragments), seq: String(seq), trace_id: messageId };
      socket.send(
        encodeFrame({
          SeqID: seq,
          LogID: 1,
          service: 1,
          method: 1,
          headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
          payload: bytes.subarray(seq * size, (seq + 1) * size),
        }),
      );
    }
    return promise;
  }

  /** Sends bytes that are not a frame. */
  sendGarbage(bytes: Uint8Array): void {
    for (const socket of this.#server.clients) socket.send(bytes);
  }

  /** Breaks every connection without a closing handshake. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Returns the address for an app's connection. */
  endpoint(body: unknown, response: ServerResponse): void {
    const { AppID, AppSecret } = (body ?? {}) as { AppID?: unknown; AppSecret?: unknown };
    const fault =
      this.lookupFaults.shift() ??
      (AppID === this.#app.appId && AppSecret === this.#app.appSecret ? undefined : { code: 514, message: "auth failed" });
    response.writeHead(200, { "content-type": "application/json" });
    if (fault !== undefined) return void response.end(JSON.stringify({ code: fault.code, msg: fault.message, data: {} }));
    const ticket = randomBytes(16).toString("hex");
    this.#tickets.add(ticket);
    const url = `ws://${this.address}/callback/ws?device_id=1&service_id=1&ticket=${ticket}`;
    response.end(JSON.stringify({ code: 0, msg: "", data: { URL: url, ClientConfig: this.clientConfig } }));
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", `http://${this.address}`);
    // A ticket opens one connection.
    if (url.pathname !== "/callback/ws" || !this.#tickets.delete(url.searchParams.get("ticket") ?? "")) return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (client) => this.#server.emit("connection", client, request));
  }

  close(): void {
    this.drop();
    this.#server.close();
  }

  #connected(socket: WebSocket): void {
    this.opened += 1;
    const number = this.opened;
    socket.once("message", () => {
      this.#used = Math.max(this.#used, number);
      for (const waiting of this.#waiting) if (this.#used >= waiting.count) waiting.resolve();
    });
    socket.on("message", (bytes: Buffer) => this.#received(socket, bytes));
    socket.once("close", () => {
      for (const { reject } of this.#deliveries.values()) reject(new Error("the connection broke before the answer"));
      this.#deliveries.clear();
    });
  }

  #received(socket: WebSocket, bytes: Buffer): void {
    const frame = decodeFrame(bytes);
    if (frame.method === 0 && headerOf(frame, "type") === "ping") {
      this.pings += 1;
      if (!this.silent) {
        const payload = Buffer.from(JSON.stringify(this.clientConfig));
        socket.send(encodeFrame({ ...frame, headers: [{ key: "type", value: "pong" }], payload }));
      }
      return;
    }
    const messageId = headerOf(frame, "message_id") ?? "";
    const answer = JSON.parse(Buffer.from(frame.payload ?? []).toString("utf8")) as { code: number };
    this.#deliveries.get(messageId)?.resolve(answer.code);
    this.#deliveries.delete(messageId);
  }
}
