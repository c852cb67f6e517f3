import {
  ClientFrameSchema,
  CLOSE_CODES,
  CONNECT_TIMEOUT_MS,
  isRpcMethod,
  MAX_UNAUTHENTICATED_FRAME_BYTES,
  PROTOCOL_VERSION,
  RPC_METHODS,
} from "@factotum/protocol";
import type { ChatEvent, ClientFrame, ConnectFrame, RequestFrame, RpcEvent, RpcEvents, RpcMethod, ServerFrame } from "@factotum/protocol";
import type { WebSocket } from "ws";
import { authorize, OWN } from "../access/authorize.ts";
import type { Principal } from "../access/authorize.ts";
import type { ClientAddress } from "../access/client-address.ts";
import type { ClientBacklogs } from "./client-backlogs.ts";
import type { ClientServices } from "./client-services.ts";
import { OutgoingFrames } from "./outgoing-frames.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { toRpcError } from "./to-rpc-error.ts";
import type { RpcConnection } from "./rpc-connection.ts";

/** Concurrent requests of one connection. */
const MAX_REQUESTS = 64;
/** Maximum subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 64;
/** Close code of RFC 6455 for a client that may reconnect. */
const TRY_AGAIN_LATER = 1013;
/** Maximum length of a close reason (RFC 6455). */
const MAX_CLOSE_REASON_BYTES = 123;
/** Changes of the session list are batched this long. */
const CHANGE_DELAY_MS = 100;

/** The dependencies and observers of a connection. */
type ConnectionOptions = ClientServices & {
  readonly backlogs: ClientBacklogs;
  readonly client: ClientAddress;
  /** It has sent a valid token. */
  readonly onConnect: () => void;
  readonly onClose: () => void;
};

/** One client: its credential, its requests, its subscriptions. Nothing of it outlives its socket. */
export class ClientConnection implements RpcConnection {
  readonly #socket: WebSocket;
  readonly #frames: OutgoingFrames;
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  readonly #subscriptions = new Map<string, Disposable>();
  readonly #pendingEvents = new Map<string, ChatEvent[]>();
  readonly #connectTimer: Disposable;
  #principal: Principal = { type: "anonymous" };
  #credential: Disposable | undefined;
  #connected = false;
  #clientName = "";
  #seq = 0;
  #requests = 0;
  #changedKeys: Set<string> | undefined;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#frames = new OutgoingFrames(socket, options.backlogs);
    this.#options = options;
    this.#connectTimer = options.clock.schedule(CONNECT_TIMEOUT_MS, () =>
      this.close(CLOSE_CODES.connectTimeout, "no connect frame came in time"),
    );
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("close", () => this.#dispose());
    // `close` follows; a broken frame or a reset is the client's own problem.
    socket.on("error", (error) => options.logger.debug("A client's socket failed", { error }));
  }

  get clientName(): string {
    return this.#clientName;
  }

  get isLocal(): boolean {
    return this.#options.client.isLocal;
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  async subscribe(sessionKey: string, open: (listener: (event: ChatEvent) => void) => Promise<Disposable>): Promise<void> {
    this.unsubscribe(sessionKey);
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new RpcError("too-large", `One connection can watch ${MAX_SUBSCRIPTIONS} sessions. Unsubscribe from one first.`);
    // Events before the snapshot was sent are queued behind it.
    const pending: ChatEvent[] = [];
    this.#pendingEvents.set(sessionKey, pending);
    const subscription = await open((event) => {
      if (this.#pendingEvents.get(sessionKey) === pending) pending.push(event);
      else this.#sendEvent("chat", { sessionKey, event });
    });
    this.unsubscribe(sessionKey);
    if (this.#closed.signal.aborted) subscription[Symbol.dispose]();
    else this.#subscriptions.set(sessionKey, subscription);
  }

  unsubscribe(sessionKey: string): boolean {
    const subscription = this.#subscriptions.get(sessionKey);
    subscription?.[Symbol.dispose]();
    return this.#subscriptions.delete(sessionKey);
  }

  /** Batches changes of the session list. */
  notifySessionChange(sessionKey: string): void {
    if (!this.#connected) return;
    if (this.#changedKeys !== undefined) {
      this.#changedKeys.add(sessionKey);
      return;
    }
    const keys = new Set([sessionKey]);
    this.#changedKeys = keys;
    this.#options.clock.schedule(CHANGE_DELAY_MS, () => {
      this.#changedKeys = undefined;
      this.#sendEvent("sessions-change", { keys: [...keys] });
    });
  }

  notify<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): void {
    this.#sendEvent(event, payload);
  }

  close(code: number, reason: string): void {
    if (code === CLOSE_CODES.shutdown) this.#sendEvent("shutdown", { reason });
    this.#frames.close(code, closeReason(reason));
  }

  /** Closes at once, without waiting for the other side. */
  terminate(): void {
    this.#socket.terminate();
  }

  #receive(data: WebSocket.RawData, isBinary: boolean): void {
    const frame = this.#parse(data, isBinary);
    if (frame === undefined) return;
    if (frame.type === "connect") this.#connect(frame);
    else if (this.#connected) void this.#answer(frame);
    else this.#refuse("unauthorized", "The first frame must be `connect`.", CLOSE_CODES.unauthorized);
  }

  #parse(data: WebSocket.RawData, isBinary: boolean): ClientFrame | undefined {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    if (isBinary || (!this.#connected && bytes.byteLength > MAX_UNAUTHENTICATED_FRAME_BYTES)) {
      this.#refuse(isBinary ? "invalid-request" : "too-large", isBinary ? "Frames are JSON text." : "The first frame is too large.", 1009);
      return undefined;
    }
    const parsed = ClientFrameSchema.safeParse(parseJson(bytes));
    if (parsed.success) return parsed.data;
    this.#refuse("invalid-request", "This is no frame of the protocol.", 1008);
    return undefined;
  }

  #connect(frame: ConnectFrame): void {
    if (this.#connected) return this.#refuse("invalid-request", "`connect` comes once.", 1008);
    if (frame.minProtocol > PROTOCOL_VERSION || frame.maxProtocol < PROTOCOL_VERSION) {
      return this.#refuse(
        "invalid-request",
        `This gateway speaks protocol ${PROTOCOL_VERSION}. Use a client of the same version.`,
        CLOSE_CODES.unsupportedProtocol,
      );
    }
    const authentication = this.#options.authenticator.authenticate(frame.auth?.token, this.#options.client);
    if (authentication.type === "delayed") {
      const seconds = Math.ceil(authentication.delayMs / 1000);
      return this.#refuse("unavailable", `Too many wrong tokens came from this address. Try again in ${seconds} s.`, TRY_AGAIN_LATER);
    }
    this.#principal = authentication.principal;
    if (this.#principal.type === "anonymous") {
      return this.#refuse(
        "unauthorized",
        "The gateway refuses this token. Open the address that `factotum gateway start` prints, also while the gateway runs.",
        CLOSE_CODES.unauthorized,
      );
    }
    this.#connectTimer[Symbol.dispose]();
    this.#credential = this.#options.authenticator.watch(frame.auth?.token, () => this.#revoke());
    this.#connected = true;
    this.#clientName = frame.client.name;
    this.#options.onConnect();
    this.#send({
      type: "hello",
      protocol: PROTOCOL_VERSION,
      server: { version: this.#options.version },
      connectionId: this.#options.random.uuid(),
    });
  }

  /** Frames that still arrive before the close come from a client without any access. */
  #revoke(): void {
    this.#principal = { type: "anonymous" };
    this.#refuse(
      "unauthorized",
      "The gateway's token has changed. Open the address that `factotum gateway start` prints, or connect with the new token.",
      CLOSE_CODES.unauthorized,
    );
  }

  async #answer(frame: RequestFrame): Promise<void> {
    if (this.#requests >= MAX_REQUESTS)
      return this.#sendError(frame.id, new RpcError("too-large", "Too many requests at once. Wait for answers."));
    this.#requests += 1;
    try {
      this.#send({ type: "res", id: frame.id, ok: true, result: await this.#call(frame) });
      this.#sendPendingEvents();
    } catch (error) {
      this.#sendError(frame.id, error);
    } finally {
      this.#requests -= 1;
    }
  }

  async #call(frame: RequestFrame): Promise<unknown> {
    const { method } = frame;
    if (!isRpcMethod(method)) throw new RpcError("method-unknown", `There is no method "${method}" in this build.`);
    const decision = authorize(this.#principal, { type: "rpc", method }, OWN);
    if (decision.type !== "allow") throw new RpcError("forbidden", decision.reason);
    const params = RPC_METHODS[method].params.safeParse(frame.params ?? {});
    if (!params.success) {
      const issue = params.error.issues[0];
      throw new RpcError("invalid-request", `${issue?.path.map(String).join(".") || "params"}: ${issue?.message ?? "not valid"}`);
    }
    const { problem } = this.#options.storage;
    if (problem !== undefined && RPC_METHODS[method].stores) throw new RpcError("unavailable", problem.reason);
    return this.#invoke(method, params.data);
  }

  async #invoke<Method extends RpcMethod>(method: Method, params: Parameters<ClientServices["handlers"][Method]>[0]): Promise<unknown> {
    // `params` was parsed by the schema of `method`; the compiler cannot follow a table indexed by a type parameter.
    const handler = this.#options.handlers[method] as (params: unknown, connection: RpcConnection) => Promise<unknown>;
    const result = await handler(params, this);
    this.#options.answered(method, params);
    return result;
  }

  #sendPendingEvents(): void {
    for (const [sessionKey, events] of this.#pendingEvents) {
      if (!this.#subscriptions.has(sessionKey)) continue;
      this.#pendingEvents.delete(sessionKey);
      for (const event of events) this.#sendEvent("chat", { sessionKey, event });
    }
  }

  #sendError(id: string, error: unknown): void {
    const body = toRpcError(error);
    if (body === undefined) this.#options.logger.error("A request failed", { requestId: id, error });
    this.#send({
      type: "res",
      id,
      ok: false,
      error: body ?? { code: "internal", message: `The gateway had an internal error. Its log has more under the request ${id}.` },
    });
  }

  #refuse(code: RpcError["code"], message: string, closeCode: number): void {
    this.#send({ type: "refused", error: { code, message } });
    this.#frames.close(closeCode, closeReason(message));
  }

  #sendEvent<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): void {
    if (!this.#connected) return;
    this.#seq += 1;
    this.#send({ type: "event", event, seq: this.#seq, payload });
  }

  #send(frame: ServerFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#frames.send(JSON.stringify(frame));
  }

  #dispose(): void {
    this.#connectTimer[Symbol.dispose]();
    this.#credential?.[Symbol.dispose]();
    this.#closed.abort();
    this.#frames[Symbol.dispose]();
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]();
    this.#subscriptions.clear();
    this.#options.onClose();
  }
}

/** The longest prefix of `reason` that fits into a close frame, in whole characters. */
function closeReason(reason: string): string {
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(MAX_CLOSE_REASON_BYTES));
  return reason.slice(0, read);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
