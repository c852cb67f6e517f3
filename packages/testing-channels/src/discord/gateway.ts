import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { asDiscordUser } from "./app.ts";
import type { FakeDiscordApp } from "./app.ts";

/** An event as it was numbered in a session. */
export interface DiscordFrame {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

interface Session {
  readonly id: string;
  readonly frames: DiscordFrame[];
  socket: WebSocket | undefined;
}

/** What a client has sent. */
export interface DiscordLogin {
  readonly type: "identify" | "resume";
  readonly intents?: number;
  readonly sequence?: number;
}

const MESSAGE_CONTENT = 1 << 15;

/** The platform's WebSocket: greeting, sessions that are begun and resumed, heartbeats, numbered events that are kept for a session without a connection. */
export class DiscordGateway {
  /** Host and port of the server; set once it listens. */
  address = "";
  /** Logins of clients, oldest first. */
  readonly logins: DiscordLogin[] = [];
  /** Close codes of clients. */
  readonly closeCodes: number[] = [];
  /** Numbers that heartbeats named. */
  readonly heartbeats: (number | null)[] = [];
  /** If true, heartbeats are not acknowledged. */
  isSilent = false;
  readonly #app: FakeDiscordApp;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  #newest: Session | undefined;
  #opened = 0;
  #invalidatesNext = 0;
  #closesNext: { readonly code: number; readonly reason: string } | undefined;

  constructor(app: FakeDiscordApp) {
    this.#app = app;
    this.#server.on("connection", (socket: WebSocket) => this.#connected(socket));
  }

  /** Number of connections with a session. */
  get open(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined && socket.readyState === socket.OPEN).length;
  }

  /** How often a session was begun or resumed so far. */
  get opened(): number {
    return this.#opened;
  }

  /** Resolves once a session has been begun or resumed `count` times. */
  async connected(count = 1): Promise<void> {
    return this.until(() => this.#opened >= count);
  }

  /** Resolves once a condition of logins, heartbeats or connections is met. */
  async until(isMet: () => boolean): Promise<void> {
    if (isMet()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ isMet, resolve });
    await promise;
  }

  /** Passes an event to the newest session, or keeps it for its next connection. */
  dispatch(name: string, data: unknown): DiscordFrame {
    const session = this.#newest;
    if (session === undefined) throw new Error("no client has begun a session");
    const frame: DiscordFrame = { op: 0, t: name, s: session.frames.length + 1, d: data };
    session.frames.push(frame);
    this.#send(session.socket, frame);
    return frame;
  }

  /** Sends an event again, with the number that it has. */
  repeat(frame: DiscordFrame): void {
    this.#send(this.#newest?.socket, frame);
  }

  /** Sends a frame that is no event, such as `{ op: 7 }`. */
  send(frame: object): void {
    this.#send(this.#newest?.socket, frame);
  }

  /** Sends bytes that are not a message of the platform. */
  sendGarbage(bytes: Uint8Array): void {
    this.#newest?.socket?.send(bytes, { binary: false });
  }

  /** Breaks every connection without a closing handshake. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Closes every connection with a code. */
  closeAll(code: number, reason: string): void {
    for (const socket of this.#server.clients) socket.close(code, reason);
  }

  /** Closes the next connection at its login. */
  closeNext(code: number, reason: string): void {
    this.#closesNext = { code, reason };
  }

  /** Refuses the next attempts to resume, as the platform does when a session is too old. */
  invalidateNext(count = 1): void {
    this.#invalidatesNext += count;
  }

  /** Forgets all sessions. */
  forget(): void {
    this.#sessions.clear();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", `http://${this.address}`);
    if (url.searchParams.get("v") !== "10" || url.searchParams.get("encoding") !== "json") return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (client) => this.#server.emit("connection", client, request));
  }

  close(): void {
    this.drop();
    this.#server.close();
  }

  #connected(socket: WebSocket): void {
    this.#send(socket, { op: 10, d: { heartbeat_interval: this.#app.heartbeatIntervalMs } });
    socket.on("message", (bytes: Buffer) => {
      this.#received(socket, JSON.parse(bytes.toString("utf8")) as { readonly op: number; readonly d: unknown });
      this.#check();
    });
    socket.once("close", (code: number) => {
      this.closeCodes.push(code);
      for (const session of this.#sessions.values()) {
        if (session.socket !== socket) continue;
        session.socket = undefined;
        // These codes end the session.
        if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      }
      this.#check();
    });
  }

  #received(socket: WebSocket, { op, d }: { readonly op: number; readonly d: unknown }): void {
    if (op === 1) {
      this.heartbeats.push(d as number | null);
      if (!this.isSilent) this.#send(socket, { op: 11 });
      return;
    }
    if (op !== 2 && op !== 6) return socket.close(4001, "Unknown opcode");
    const login = d as { readonly token: string; readonly intents: number; readonly session_id: string; readonly seq: number };
    this.logins.push(op === 2 ? { type: "identify", intents: login.intents } : { type: "resume", sequence: login.seq });
    const closing = this.#closesNext;
    this.#closesNext = undefined;
    if (closing !== undefined) return socket.close(closing.code, closing.reason);
    if (login.token !== this.#app.token) return socket.close(4004, "Authentication failed.");
    if (op === 2) this.#identify(socket, login.intents);
    else this.#resume(socket, login);
  }

  #identify(socket: WebSocket, intents: number): void {
    const { bot, applicationId, guild } = this.#app;
    if ((intents & MESSAGE_CONTENT) !== 0 && !this.#app.readsContent) return socket.close(4014, "Disallowed intent(s).");
    this.#app.startsLeft -= 1;
    const session: Session = { id: randomBytes(16).toString("hex"), frames: [], socket };
    this.#sessions.set(session.id, session);
    this.#newest = session;
    this.#opened += 1;
    this.dispatch("READY", {
      v: 10,
      user: asDiscordUser(this.#app, bot.id),
      guilds: [{ id: guild.id, unavailable: true }],
      session_id: session.id,
      resume_gateway_url: `ws://${this.address}/resume`,
      application: { id: applicationId, flags: 0 },
    });
    this.dispatch("GUILD_CREATE", { id: guild.id, name: guild.name, channels: [], threads: [], members: [] });
  }

  #resume(socket: WebSocket, { session_id: id, seq }: { readonly session_id: string; readonly seq: number }): void {
    const session = this.#sessions.get(id);
    if (session === undefined || this.#invalidatesNext > 0) {
      this.#invalidatesNext = Math.max(0, this.#invalidatesNext - 1);
      this.#sessions.delete(id);
      return this.#send(socket, { op: 9, d: false });
    }
    if (seq > session.frames.length) return socket.close(4007, "Invalid seq");
    session.socket = socket;
    this.#newest = session;
    this.#opened += 1;
    for (const frame of session.frames.slice(seq)) this.#send(socket, frame);
    this.dispatch("RESUMED", {});
  }

  #send(socket: WebSocket | undefined, frame: object): void {
    if (socket?.readyState === socket?.OPEN) socket?.send(JSON.stringify(frame));
  }

  #check(): void {
    for (const waiting of this.#waiting) if (waiting.isMet()) waiting.resolve();
  }
}
