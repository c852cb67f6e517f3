import {
  CLOSE_CODES,
  PROTOCOL_VERSION,
  RPC_EVENTS,
  RPC_METHODS,
  ServerFrameSchema,
  type EventFrame,
  type RpcEvents,
  type RpcMethod,
  type RpcMethods,
} from "@factotum/protocol";
import { ConnectionError, NoAnswerError, RpcError } from "./rpc-errors.ts";

/** How to reach a gateway. */
export interface ConnectOptions {
  /** Its http or https address. */
  readonly url: string;
  readonly token?: string;
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Milliseconds until the gateway must have answered `connect`; 5,000 by default. */
  readonly timeoutMs?: number;
}

/** Receives events during a request; only those that a command uses. */
export type RpcEventListener = (...event: { readonly [Name in UsedEvent]: [name: Name, payload: RpcEvents[Name]] }[UsedEvent]) => void;

type UsedEvent = "approvals-change" | "chat" | "editor-note" | "editor-request" | "replay" | "sessions-change";

const USED_EVENTS: readonly UsedEvent[] = ["approvals-change", "chat", "editor-note", "editor-request", "replay", "sessions-change"];

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5000;

/** An admitted connection to the gateway. */
export class RpcClient implements Disposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<RpcEventListener>();
  readonly #closed = new AbortController();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Connects and authenticates. Rejects with a `ConnectionError`, or with an `RpcError` (`unauthorized`) if the gateway refuses us. */
  static async connect(options: ConnectOptions): Promise<RpcClient> {
    const address = new URL("/ws", options.url);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    const client = new RpcClient(socket);
    const { promise, resolve, reject } = Promise.withResolvers<RpcClient>();
    const timer = setTimeout(() => reject(new NoAnswerError(`${options.url} does not answer.`)), options.timeoutMs ?? CONNECT_TIMEOUT_MS);
    const onAbort = (): void => reject(new ConnectionError("The command was stopped."));
    options.signal?.addEventListener("abort", onAbort, { once: true });
    socket.addEventListener("open", () => socket.send(JSON.stringify(connectFrame(options))));
    socket.addEventListener("error", () => reject(new ConnectionError(`Nothing answers at ${options.url}.`)));
    socket.addEventListener("close", ({ code }) => {
      const refused =
        code === CLOSE_CODES.unauthorized ? new RpcError({ code: "unauthorized", message: "The gateway refused the token." }) : undefined;
      const error = refused ?? new ConnectionError(`The gateway closed the connection (${code}).`);
      reject(error);
      client.#failAll(error);
      client.#closed.abort(error);
    });
    socket.addEventListener("message", ({ data }) => client.#read(String(data), { resolve, reject }));
    try {
      return await promise;
    } catch (error) {
      socket.close();
      throw error;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a request and waits for the response, without a timeout unless `signal` fires. Rejects with an `RpcError` or a `ConnectionError`. */
  async request<Method extends RpcMethod>(
    method: Method,
    params: RpcMethods[Method]["params"],
    options: { readonly signal?: AbortSignal; readonly onEvent?: RpcEventListener } = {},
  ): Promise<RpcMethods[Method]["result"]> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = (): void => reject(new ConnectionError("The command was stopped."));
    if (options.signal?.aborted === true) onAbort();
    options.signal?.addEventListener("abort", onAbort, { once: true });
    this.#pending.set(id, { resolve, reject });
    const { onEvent } = options;
    if (onEvent !== undefined) this.#listeners.add(onEvent);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "req", id, method, params }));
    else reject(new ConnectionError("The connection is closed."));
    try {
      const result = RPC_METHODS[method].result.safeParse(await promise);
      if (result.success) return result.data;
      throw new ConnectionError(`The gateway's answer to ${method} is of another version; restart it with "factotum gateway restart".`);
    } finally {
      this.#pending.delete(id);
      if (onEvent !== undefined) this.#listeners.delete(onEvent);
      options.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Fires when the connection ends. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Hears of events until the returned function is called. */
  follow(listener: RpcEventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #read(text: string, greeting: { resolve: (client: RpcClient) => void; reject: (error: Error) => void }): void {
    const frame = ServerFrameSchema.safeParse(parseJson(text));
    if (!frame.success) {
      greeting.reject(new ConnectionError("What answers there is no Factotum gateway."));
      return;
    }
    switch (frame.data.type) {
      case "hello":
        greeting.resolve(this);
        break;
      case "refused":
        greeting.reject(new RpcError(frame.data.error));
        break;
      case "res": {
        const pending = this.#pending.get(frame.data.id);
        if (frame.data.ok) pending?.resolve(frame.data.result);
        else pending?.reject(new RpcError(frame.data.error));
        break;
      }
      case "event":
        this.#tell(frame.data);
        break;
    }
  }

  /** An event of an unknown version is ignored. */
  #tell({ event, payload }: EventFrame): void {
    const used = USED_EVENTS.find((name) => name === event);
    if (used === undefined) return;
    const parsed = RPC_EVENTS[used].safeParse(payload);
    // The parser of a name makes the payload of that name; the compiler cannot follow a table indexed by a union.
    if (parsed.success) for (const listen of this.#listeners) listen(...([used, parsed.data] as Parameters<RpcEventListener>));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }
}

function connectFrame({ version, token }: ConnectOptions): object {
  return {
    type: "connect",
    minProtocol: PROTOCOL_VERSION,
    maxProtocol: PROTOCOL_VERSION,
    client: { name: "factotum-cli", version },
    ...(token === undefined ? {} : { auth: { token } }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
