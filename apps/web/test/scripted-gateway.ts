import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Approval,
  ClientFrameSchema,
  CLOSE_CODES,
  type DeadLetter,
  isRpcMethod,
  type PairingRequest,
  PROTOCOL_VERSION,
  RPC_METHODS,
  type RequestFrame,
  type RpcErrorCode,
  type RpcMethod,
  type RpcMethods,
  type ServerFrame,
  type SessionSummary,
} from "@factotum/protocol";
import { WebSocket, WebSocketServer } from "ws";
import { servePage } from "./serve-page.ts";
import { ScriptedSession } from "./scripted-session.ts";

/** Plays the assistant: the events of a session after a message. The signal fires when the run is stopped. */
export type Script = (session: ScriptedSession, text: string, options: { readonly signal: AbortSignal }) => Promise<void>;

export const MAIN_KEY = "agent:main:main";

class Refusal extends Error {
  readonly code: RpcErrorCode;
  constructor(code: RpcErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface Peer {
  readonly socket: WebSocket;
  readonly subscriptions: Map<string, Disposable>;
  seq: number;
  ready: boolean;
}

interface Conversation {
  readonly session: ScriptedSession;
  readonly createdAtMs: number;
  readonly keys: Set<string>;
  readonly waiting: string[];
  label: string | undefined;
  run: AbortController | undefined;
}

/**
 * A gateway for tests: real HTTP and WebSocket on loopback, every frame validated by the protocol's schemas in both directions, and a script in place of
 * agents. Options make it misbehave.
 */
export class ScriptedGateway {
  readonly token: string = "scripted-token-0123456789abcdef";
  /** Every received request, in order. */
  readonly requests: RequestFrame[] = [];
  /** The token of every greeting, in order. */
  readonly greetings: (string | undefined)[] = [];
  /** Uploaded images by ref; the part after the colon is the id of the resulting file. */
  readonly uploads: Map<string, Buffer> = new Map<string, Buffer>();
  /**
   * Called before a request is handled; `ignore` sends no response, `drop-after` handles it and cuts the connection instead of responding, an `answer` is sent
   * as it is.
   */
  intercept: (request: RequestFrame) => "handle" | "ignore" | "drop-after" | Refusal | { readonly answer: unknown } = () => "handle";
  /** The result of `warnings.list`. */
  warnings: RpcMethods["warnings.list"]["result"]["warnings"] = [];
  /** Calls that wait for a decision, messages that were given up, and people who ask: what an inbox lists. */
  inbox: {
    readonly approvals: readonly Approval[];
    readonly letters: readonly DeadLetter[];
    readonly requests: readonly PairingRequest[];
  } = {
    approvals: [],
    letters: [],
    requests: [],
  };
  /** People who ask to be admitted, by code (`owner`: the approval makes them the owner), and the decisions. */
  readonly pairings = new Map<string, { readonly senderId: string; readonly owner: boolean }>();
  readonly decisions: string[] = [];
  readonly #script: Script;
  readonly #root: string | undefined;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #peers = new Set<Peer>();
  readonly #conversations = new Map<string, Conversation>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: { readonly script?: Script; readonly root?: string } = {}) {
    this.#script = options.script ?? (async () => undefined);
    this.#root = options.root;
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#sockets = new WebSocketServer({ server: this.#http, path: "/ws" });
    this.#sockets.on("connection", (socket) => this.#accept(socket));
  }

  static refusal(code: RpcErrorCode, message: string): Refusal {
    return new Refusal(code, message);
  }

  async listen(port = 0): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#http.once("error", reject);
    this.#http.listen(port, "127.0.0.1", resolve);
    await promise;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  get connections(): number {
    return this.#peers.size;
  }

  conversation(key: string): Conversation {
    const known = this.#conversations.get(key);
    if (known !== undefined) return known;
    const session = new ScriptedSession(key, () => Date.now());
    const made: Conversation = { session, createdAtMs: Date.now(), keys: new Set(), waiting: [], label: undefined, run: undefined };
    this.#conversations.set(key, made);
    return made;
  }

  /** Cuts every connection, like a crash, or closes it with a code. */
  cut(code?: number): void {
    for (const peer of this.#peers) {
      if (code === undefined) peer.socket.terminate();
      else peer.socket.close(code);
    }
  }

  /** Sends an event to every connection, without validation. */
  broadcast(event: string, payload: unknown, options: { readonly skipSeq?: boolean } = {}): void {
    for (const peer of this.#peers) {
      if (options.skipSeq === true) peer.seq += 1;
      this.#event(peer, event, payload);
    }
  }

  /** Sets the warnings and sends them to every connection. */
  warn(warnings: RpcMethods["warnings.list"]["result"]["warnings"]): void {
    this.warnings = warnings;
    this.broadcast("warnings-change", { warnings });
  }

  async close(): Promise<void> {
    for (const { run } of this.#conversations.values()) run?.abort();
    this.cut();
    this.#sockets.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    this.#http.closeAllConnections();
    await promise;
    await Promise.allSettled(this.#running);
  }

  async #takeUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isAllowed = request.headers.authorization === `Bearer ${this.token}`;
    const isImage = bytes.subarray(1, 4).toString("latin1") === "PNG";
    const ref = `upload:${String(this.uploads.size + 1).padStart(32, "0")}`;
    if (isAllowed && isImage) this.uploads.set(ref, bytes);
    const answer = isAllowed && isImage ? { ref } : { error: { message: isAllowed ? "These bytes are no image." : "No valid token." } };
    response.writeHead(isAllowed ? (isImage ? 201 : 400) : 401, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  #giveMedia(request: IncomingMessage, response: ServerResponse): void {
    const id = new URL(request.url ?? "", "http://127.0.0.1").pathname.slice("/media/".length);
    const bytes = request.headers.authorization === `Bearer ${this.token}` ? this.uploads.get(`upload:${id}`) : undefined;
    if (bytes === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "image/png" }).end(bytes);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "POST" && request.url === "/uploads") return this.#takeUpload(request, response);
    if (request.url?.startsWith("/media/") === true) return this.#giveMedia(request, response);
    return servePage(this.#root, request, response);
  }

  #accept(socket: WebSocket): void {
    const peer: Peer = { socket, subscriptions: new Map(), seq: 0, ready: false };
    this.#peers.add(peer);
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      this.#peers.delete(peer);
      for (const subscription of peer.subscriptions.values()) subscription[Symbol.dispose]();
    });
    socket.on("message", (data: Buffer) => this.#receive(peer, data.toString("utf8")));
  }

  #send(peer: Peer, frame: ServerFrame): void {
    if (peer.socket.readyState === WebSocket.OPEN) peer.socket.send(JSON.stringify(frame));
  }

  #event(peer: Peer, event: string, payload: unknown): void {
    peer.seq += 1;
    this.#send(peer, { type: "event", event, seq: peer.seq, payload });
  }

  #receive(peer: Peer, text: string): void {
    const frame = ClientFrameSchema.parse(JSON.parse(text));
    if (frame.type === "connect") {
      this.greetings.push(frame.auth?.token);
      if (frame.auth?.token !== this.token) {
        this.#send(peer, { type: "refused", error: { code: "unauthorized", message: "The token is not the one of this gateway." } });
        peer.socket.close(CLOSE_CODES.unauthorized);
      } else if (frame.minProtocol > PROTOCOL_VERSION || frame.maxProtocol < PROTOCOL_VERSION) {
        peer.socket.close(CLOSE_CODES.unsupportedProtocol);
      } else {
        peer.ready = true;
        this.#send(peer, { type: "hello", protocol: PROTOCOL_VERSION, server: { version: "0.0.0-test" }, connectionId: "c" });
      }
      return;
    }
    if (!peer.ready) throw new Error("A request came before the hello.");
    this.requests.push(frame);
    this.#answer(peer, frame);
  }

  #answer(peer: Peer, request: RequestFrame): void {
    const way = this.intercept(request);
    if (way === "ignore") return;
    if (way instanceof Refusal) {
      this.#send(peer, { type: "res", id: request.id, ok: false, error: { code: way.code, message: way.message } });
      return;
    }
    if (typeof way === "object") {
      this.#send(peer, { type: "res", id: request.id, ok: true, result: way.answer });
      return;
    }
    try {
      const result = this.#handle(peer, request);
      if (way === "drop-after") peer.socket.terminate();
      else this.#send(peer, { type: "res", id: request.id, ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#send(peer, { type: "res", id: request.id, ok: false, error: { code: error.code, message: error.message } });
    }
  }

  #handle(peer: Peer, request: RequestFrame): unknown {
    const { method } = request;
    if (!isRpcMethod(method)) throw new Refusal("method-unknown", `There is no method ${method}.`);
    const params: unknown = RPC_METHODS[method].params.parse(request.params);
    const handler = this.#handlers[method] as ((params: unknown, peer: Peer) => unknown) | undefined;
    if (handler === undefined) throw new Refusal("unavailable", `The scripted gateway has no ${method}.`);
    return RPC_METHODS[method].result.parse(handler(params, peer));
  }

  #decide(decision: string, code: string): { readonly senderId: string; readonly owner: boolean } {
    const found = this.pairings.get(code);
    if (found === undefined) throw new Refusal("not-found", "No request has this code.");
    this.pairings.delete(code);
    this.decisions.push(`${decision} ${code}`);
    return found;
  }

  readonly #handlers: {
    readonly [Method in RpcMethod]?: (params: RpcMethods[Method]["params"], peer: Peer) => RpcMethods[Method]["result"];
  } = {
    "agents.list": () => ({
      agents: [{ id: "main", name: "Factotum", isDefault: true, mainSessionKey: MAIN_KEY, workspace: "/w", model: "demo/next" }],
    }),
    "warnings.list": () => ({ warnings: this.warnings }),
    "approvals.list": () => ({ waiting: this.inbox.approvals, grants: [] }),
    "deadletters.list": () => ({ letters: this.inbox.letters }),
    "pairing.list": () => ({ pending: this.inbox.requests, approved: [] }),
    "pairing.approve": ({ code }) => {
      const { senderId, owner } = this.#decide("approve", code);
      return { sender: { channel: "test", accountId: "default", senderId, owner }, owner };
    },
    "pairing.reject": ({ code }) => {
      const { senderId } = this.#decide("reject", code);
      return { request: { channel: "test", accountId: "default", senderId, code, requestedAtMs: 0, expiresAtMs: 1 } };
    },
    "sessions.list": ({ limit = 50, cursor = "0" }) => {
      const all = [...this.#conversations.entries()].filter(([, { session, keys }]) => keys.size > 0 || session.entries.length > 0);
      const start = Number(cursor);
      const sessions = all.slice(start, start + limit).map(([key]) => this.#summary(key));
      return { sessions, ...(start + limit < all.length ? { cursor: String(start + limit) } : {}) };
    },
    "sessions.patch": ({ key, label }) => {
      this.conversation(key).label = label ?? undefined;
      this.broadcast("sessions-change", { keys: [key] });
      return { session: this.#summary(key) };
    },
    "sessions.reset": ({ key }) => {
      this.conversation(key).session.reset();
      return { session: this.#summary(key) };
    },
    "sessions.delete": ({ key }) => {
      const deleted = this.#conversations.delete(key);
      this.broadcast("sessions-change", { keys: [key] });
      return { deleted };
    },
    "chat.subscribe": ({ sessionKey = MAIN_KEY, limit }, peer) => {
      const { session } = this.conversation(sessionKey);
      peer.subscriptions.get(sessionKey)?.[Symbol.dispose]();
      peer.subscriptions.set(
        sessionKey,
        session.listen((event) => this.#event(peer, "chat", { sessionKey, event })),
      );
      return session.snapshot(limit);
    },
    "chat.unsubscribe": ({ sessionKey }, peer) => {
      peer.subscriptions.get(sessionKey)?.[Symbol.dispose]();
      return { subscribed: !peer.subscriptions.delete(sessionKey) };
    },
    "chat.history": ({ sessionKey, before, limit }) => this.conversation(sessionKey).session.history(before, limit),
    "chat.send": ({ sessionKey = MAIN_KEY, text, attachments = [], idempotencyKey }) => {
      if (attachments.some(({ ref }) => !this.uploads.has(ref))) throw new Refusal("invalid-request", "An image was never handed in.");
      const conversation = this.conversation(sessionKey);
      if (conversation.keys.has(idempotencyKey)) return { sessionKey, status: "duplicate" };
      conversation.keys.add(idempotencyKey);
      const run = this.#turn(conversation, { text, images: attachments.length, idempotencyKey });
      this.#running.add(run);
      void run.finally(() => this.#running.delete(run));
      return { sessionKey, status: "accepted" };
    },
    "chat.abort": ({ sessionKey, queued }) => {
      const { run, waiting, session } = this.conversation(sessionKey);
      const dropped = queued === true ? waiting.splice(0).length : 0;
      if (dropped > 0) session.queue(0);
      run?.abort();
      return { aborted: run !== undefined, dropped };
    },
  };

  async #turn(conversation: Conversation, said: { text: string; images: number; idempotencyKey: string }): Promise<void> {
    const { text, images, idempotencyKey } = said;
    const { session, waiting } = conversation;
    if (conversation.run !== undefined) {
      waiting.push(text);
      session.queue(waiting.length);
      session.say(text, idempotencyKey, images);
      return;
    }
    session.say(text, idempotencyKey, images);
    await this.#run(conversation, text);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      session.queue(waiting.length);
      await this.#run(conversation, next);
    }
  }

  async #run(conversation: Conversation, text: string): Promise<void> {
    const run = new AbortController();
    conversation.run = run;
    const { session } = conversation;
    this.broadcast("sessions-change", { keys: [session.key] });
    try {
      session.startRun();
      await this.#script(session, text, { signal: run.signal });
      session.endRun("done");
    } catch (error) {
      if (!run.signal.aborted) throw error;
      session.commitAnswer([], "aborted");
      session.endRun("aborted", "Stopped.");
    } finally {
      conversation.run = undefined;
      this.broadcast("sessions-change", { keys: [session.key] });
    }
  }

  #summary(key: string): SessionSummary {
    const { session, label, createdAtMs } = this.conversation(key);
    const answers = session.entries.filter((entry) => entry.type === "assistant");
    return {
      key,
      sessionId: `id-${key}`,
      agentId: "main",
      kind: key === MAIN_KEY ? "main" : "other",
      ...(label !== undefined && { label }),
      displayName: key === MAIN_KEY ? "Main" : `WebChat ${key.split(":").at(-1) ?? ""}`,
      channel: "webchat",
      createdAtMs,
      activeAtMs: session.entries.at(-1)?.timestampMs ?? createdAtMs,
      running: session.running,
      ...(answers.length > 0 ? { model: "demo/scripted" } : {}),
      contextTokens: answers.length * 1234,
      totalTokens: answers.length * 2345,
    };
  }
}
