import type { HttpBindings } from "@hono/node-server";

/** Aborts if the client leaves before it has its answer. */
export function closeSignal(outgoing: HttpBindings["outgoing"]): AbortSignal {
  const closed = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) closed.abort();
  });
  return closed.signal;
}
