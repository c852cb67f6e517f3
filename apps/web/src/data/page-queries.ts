import { QueryClient } from "@tanstack/react-query";
import type { AppSession } from "../app/app-session.ts";
import { perSession } from "../app/per-session.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { browserTimers } from "../gateway-client/timers.ts";
import { followGateway } from "./follow-gateway.ts";

/** Milliseconds for which a result counts as current unless an event says otherwise. */
const STALE_MS = 5_000;
/** Attempts besides the first, of requests that failed for now. */
const RETRIES = 2;

/** The results of a session's pages. They are kept while pages without data are shown. */
export const pageQueriesOf: (session: AppSession) => QueryClient = perSession((session) => {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // The gateway is on this machine, or the connection of the page says that it is not reached.
        networkMode: "always",
        retry: (failures, error) => error instanceof RpcError && error.isTransient && failures < RETRIES,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  session.onClose(followGateway(queries, session.client, browserTimers));
  return queries;
});
