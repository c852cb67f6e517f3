import type { QueryClient } from "@tanstack/react-query";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import type { Timers } from "../gateway-client/timers.ts";
import { changedBy, namespaceOf } from "./query-keys.ts";

/** Events within this time cause one request for each result that is shown. */
const COLLECT_MS = 150;

/** Requests again what is shown after an event that may have changed it, and all of it after a new connection. Call the returned function to stop. */
export function followGateway(
  queries: QueryClient,
  gateway: Pick<GatewayClient, "onEvent" | "onStateChange">,
  timers: Pick<Timers, "schedule">,
): () => void {
  let changed: Set<string> | undefined;
  let cancel = (): void => undefined;
  const flush = (): void => {
    const namespaces = changed;
    changed = undefined;
    void queries.invalidateQueries(
      { predicate: ({ queryKey: [method] }) => typeof method === "string" && namespaces?.has(namespaceOf(method)) === true },
      // An answer on its way may be older than the event.
      { cancelRefetch: true },
    );
  };
  const ends = [
    gateway.onEvent(({ type }) => {
      const namespaces = changedBy(type);
      if (namespaces.length === 0) return;
      if (changed === undefined) {
        changed = new Set();
        cancel = timers.schedule(COLLECT_MS, flush);
      }
      for (const name of namespaces) changed.add(name);
    }),
    gateway.onStateChange(({ type }) => {
      if (type === "connected") void queries.invalidateQueries();
    }),
    () => cancel(),
  ];
  return () => {
    for (const end of ends) end();
  };
}
