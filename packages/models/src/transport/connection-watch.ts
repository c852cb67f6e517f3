import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ClientRequest } from "node:http";
import { TLSSocket } from "node:tls";
import { asRecord } from "../errors/vendor-error.ts";

/** Every request of Node's HTTP client is told of here once it is made, in the context of who makes it. */
const CREATED = "http.client.request.created";

/** Tells when the request of one call is on a connected socket. */
export interface ConnectionWatch extends Disposable {
  /** Runs `start`, whose requests are the ones watched. */
  run<T>(start: () => T): T;
  /** False when the injected `fetch` does not use Node's HTTP client, so that nothing can be known. */
  readonly canSee: boolean;
}

/** One call that is watched. */
interface WatchedCall {
  onConnected: () => void;
  canSee: boolean;
}

/**
 * Watches Node's own diagnostics of its HTTP client, since `fetch` settles only when headers come, and a server that is loading a model
 * sends none for minutes: waiting for headers must not count as connecting.
 *
 * One for a client. It listens from its first call on until it is collected: to begin and to end listening changes code that every request runs through.
 */
export class ConnectionWatcher {
  readonly #calls = new AsyncLocalStorage<WatchedCall>();
  #listening = false;

  /** The call in whose `run` the caller is, at whatever distance. */
  get current(): Pick<WatchedCall, "onConnected"> | undefined {
    return this.#calls.getStore();
  }

  /** Begins to watch one call. */
  watch(onConnected: () => void): ConnectionWatch {
    const call: WatchedCall = { onConnected, canSee: false };
    if (!this.#listening) this.#listen();
    return {
      run: (start) => this.#calls.run(call, start),
      get canSee(): boolean {
        return call.canSee;
      },
      // What comes later of a call that is over is of no interest to anybody.
      [Symbol.dispose]: () => void (call.onConnected = () => undefined),
    };
  }

  #listen(): void {
    this.#listening = true;
    const watcher = new WeakRef(this);
    const listener = (message: unknown): void => {
      const alive = watcher.deref();
      const request = asRecord(message)?.request;
      if (alive === undefined) unsubscribe(CREATED, listener);
      else if (request instanceof ClientRequest) alive.#noteCreated(request);
    };
    subscribe(CREATED, listener);
  }

  #noteCreated(request: ClientRequest): void {
    const call = this.#calls.getStore();
    if (call === undefined) return;
    call.canSee = true;
    request.once("socket", (socket) => {
      // A kept connection is one already.
      if (!socket.connecting) call.onConnected();
      else socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => call.onConnected());
    });
  }
}
