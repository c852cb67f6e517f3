import type { QueryClient, QueryFilters } from "@tanstack/react-query";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import type { Timers } from "../gateway-client/timers.ts";
import { changedBy, namespaceOf, type RpcNamespace } from "./query-keys.ts";

/** Events within this time cause one request for each result that is shown. */
const COLLECT_MS = 150;

/**
 * Requests again what is shown after an event that may have changed it, and all of it after a new connection. What is being requested is requested again once it
 * was answered: never twice at the same time, however many events there are. Call the returned function to stop.
 */
export function followGateway(
  queries: QueryClient,
  gateway: Pick<GatewayClient, "onEvent" | "onStateChange">,
  timers: Pick<Timers, "schedule">,
): () => void {
  let changed: Set<RpcNamespace> | undefined;
  let cancel = (): void => undefined;
  const flush = (): void => {
    const waiting = new Set<RpcNamespace>();
    for (const name of changed ?? []) {
      // The answer on its way may be older than the event.
      if (queries.isFetching(resultsOf(name)) > 0) waiting.add(name);
      else void queries.invalidateQueries(resultsOf(name));
    }
    changed = undefined;
    if (waiting.size > 0) collect(waiting);
  };
  const collect = (namespaces: Iterable<RpcNamespace>): void => {
    if (changed === undefined) {
      changed = new Set();
      cancel = timers.schedule(COLLECT_MS, flush);
    }
    for (const name of namespaces) changed.add(name);
  };
  const ends = [
    gateway.onEvent(({ type }) => {
      const namespaces = changedBy(type);
      if (namespaces.length > 0) collect(namespaces);
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

/** The results of the methods of a namespace. */
function resultsOf(namespace: RpcNamespace): QueryFilters {
  return { predicate: ({ queryKey: [method] }) => typeof method === "string" && namespaceOf(method) === namespace };
}
