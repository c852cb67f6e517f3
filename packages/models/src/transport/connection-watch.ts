import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ClientRequest } from "node:http";
import { TLSSocket } from "node:tls";
import { asRecord } from "../errors/vendor-error.ts";

/** The channel on which Node reports every request of its HTTP client, in the context of the code that made it. */
const CREATED = "http.client.request.created";

/** Reports when the request of one call is on a connected socket. */
export interface ConnectionWatch extends Disposable {
  /** Runs `start` and watches its requests. */
  run<T>(start: () => T): T;
  /** False if the injected `fetch` does not use Node's HTTP client, so that nothing is observable. */
  readonly canSee: boolean;
}

/** One call that is watched. */
interface WatchedCall {
  onConnected: () => void;
  canSee: boolean;
}

/**
 * Observes Node's diagnostics of its HTTP client, since `fetch` settles only when headers come, and a server that is loading a model sends none for minutes:
 * waiting for headers must not count as connecting.
 *
 * One instance per client. It subscribes with its first call and stays subscribed until it is collected: (un)subscribing deoptimises code that every request
 * runs through.
 */
export class ConnectionWatcher {
  readonly #calls = new AsyncLocalStorage<WatchedCall>();
  #listening = false;

  /** The call whose `run` encloses the caller. */
  get current(): Pick<WatchedCall, "onConnected"> | undefined {
    return this.#calls.getStore();
  }

  /** Starts to watch one call. */
  watch(onConnected: () => void): ConnectionWatch {
    const call: WatchedCall = { onConnected, canSee: false };
    if (!this.#listening) this.#listen();
    return {
      run: (start) => this.#calls.run(call, start),
      get canSee(): boolean {
        return call.canSee;
      },
      // Late events of an ended call are ignored.
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
      else if (request instanceof ClientRequest) alive.#recordCreated(request);
    };
    subscribe(CREATED, listener);
  }

  #recordCreated(request: ClientRequest): void {
    const call = this.#calls.getStore();
    if (call === undefined) return;
    call.canSee = true;
    request.once("socket", (socket) => {
      // A reused connection is connected already.
      if (!socket.connecting) call.onConnected();
      else socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => call.onConnected());
    });
  }
}
