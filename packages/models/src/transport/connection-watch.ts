import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { asRecord } from "../errors/vendor-error.ts";

/** Tells when the request of one call is on a connected socket. */
export interface ConnectionWatch extends Disposable {
  /** Runs `start`, whose requests are the ones watched. */
  run<T>(start: () => T): T;
  /** False when the injected `fetch` is none of Node's, so that nothing can be known. */
  readonly canSee: boolean;
}

/**
 * Watches Node's own diagnostics of its HTTP client, since `fetch` settles only when headers come, and a server that is loading a model
 * sends none for minutes: waiting for headers must not count as connecting.
 */
export function watchConnection(onConnected: () => void): ConnectionWatch {
  const storage = new AsyncLocalStorage<true>();
  const requests = new WeakSet<object>();
  let canSee = false;
  const onCreate = (message: unknown): void => {
    const request = asRecord(message)?.request;
    if (storage.getStore() !== true || typeof request !== "object" || request === null) return;
    canSee = true;
    requests.add(request);
  };
  const onSent = (message: unknown): void => {
    const request = asRecord(message)?.request;
    if (typeof request === "object" && request !== null && requests.has(request)) onConnected();
  };
  subscribe("undici:request:create", onCreate);
  subscribe("undici:client:sendHeaders", onSent);
  return {
    run: (start) => storage.run(true, start),
    get canSee(): boolean {
      return canSee;
    },
    [Symbol.dispose](): void {
      unsubscribe("undici:request:create", onCreate);
      unsubscribe("undici:client:sendHeaders", onSent);
    },
  };
}
