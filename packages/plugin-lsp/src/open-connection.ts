import type { Clock, ServerCommand } from "@factotum/agent-contract";
import type { CancellationTokenSource, DataCallback, Message, MessageConnection, MessageReader, MessageWriter } from "vscode-jsonrpc/node";
import { describe } from "./describe-error.ts";
import { ServerProcess, type ProcessOptions } from "./server-process.ts";

/** Options of one request. */
interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A connection with a language server. */
export interface Connection {
  /** Rejects with the server's error, at the time limit, and when the server has ended. */
  request(method: string, params: object | undefined, options: RequestOptions): Promise<unknown>;
  /** Does nothing once the server has ended. */
  notify(method: string, params: object): void;
  /** Resolves with why the server has ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends the server without a farewell. Resolves when nothing of it runs. */
  close(): Promise<void>;
}

/** What the client does for a server. */
export interface ConnectionHandlers {
  /** The result of a request; `undefined` for a method that the client does not have. */
  readonly onRequest: (method: string, params: unknown) => { readonly result: unknown } | undefined;
  readonly onNotification: (method: string, params: unknown) => void;
}

/** Starts a server, and loads what speaks with it. Never rejects because of the server: one that could not start has ended. */
export async function openConnection(
  request: ServerCommand,
  { onRequest, onNotification, clock, ...options }: Omit<ProcessOptions, "onMessage"> & ConnectionHandlers,
): Promise<Connection> {
  const rpc = await import("vscode-jsonrpc/node");
  let deliver: DataCallback = () => undefined;
  const server = await ServerProcess.start(request, { ...options, clock, onMessage: (message) => deliver(message as Message) });
  const [errors, closes, parts] = [new rpc.Emitter<Error>(), new rpc.Emitter<void>(), new rpc.Emitter<never>()];
  const reader: MessageReader = {
    onError: errors.event,
    onClose: closes.event,
    onPartialMessage: parts.event,
    listen: (callback) => {
      deliver = callback;
      return { dispose: () => undefined };
    },
    dispose: () => undefined,
  };
  const writer: MessageWriter = {
    onError: new rpc.Emitter<[Error, Message | undefined, number | undefined]>().event,
    onClose: closes.event,
    // eslint-disable-next-line typescript/require-await -- the interface of the library
    write: async (message) => server.send(message),
    end: () => undefined,
    dispose: () => undefined,
  };
  const connection = rpc.createMessageConnection(reader, writer);
  connection.onRequest((method: string, params: unknown) => {
    const answer = onRequest(method, params);
    return answer === undefined ? new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, `${method} is not supported`) : answer.result;
  });
  connection.onNotification((method: string, params: unknown) => onNotification(method, params));
  connection.onUnhandledProgress(() => undefined);
  connection.onError(() => undefined);
  connection.listen();
  const ended = server.ended.then((why) => {
    connection.dispose();
    return why;
  });
  return {
    ended,
    request: async (method, params, how) =>
      sendRequest(connection, { method, params }, { ...how, clock, cancel: new rpc.CancellationTokenSource() }),
    // A connection that is over throws at once.
    notify: (method, params) => void Promise.try(async () => connection.sendNotification(method, params)).catch(() => undefined),
    close: async () => {
      await server.close();
      await ended;
    },
  };
}

async function sendRequest(
  connection: MessageConnection,
  { method, params }: { readonly method: string; readonly params: object | undefined },
  { timeoutMs, signal, clock, cancel }: RequestOptions & { readonly clock: Clock; readonly cancel: CancellationTokenSource },
): Promise<unknown> {
  const stopped = Promise.withResolvers<never>();
  const stop = (why: string): void => {
    cancel.cancel();
    stopped.reject(new Error(why));
  };
  using _timer = clock.schedule(timeoutMs, () => stop(`the server did not answer within ${Math.round(timeoutMs / 1_000)} s`));
  const abort = (): void => stop("the call was stopped");
  signal?.addEventListener("abort", abort, { once: true });
  try {
    // It may have fired while the process started.
    signal?.throwIfAborted();
    const asked =
      params === undefined ? connection.sendRequest(method, cancel.token) : connection.sendRequest(method, params, cancel.token);
    asked.catch(() => undefined);
    return await Promise.race([asked, stopped.promise]);
  } catch (error) {
    throw error instanceof Error ? error : new Error(describe(error));
  } finally {
    signal?.removeEventListener("abort", abort);
    stopped.promise.catch(() => undefined);
    cancel.dispose();
  }
}
