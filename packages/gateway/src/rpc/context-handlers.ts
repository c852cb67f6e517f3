import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { buildContextReport } from "../requests/build-context-report.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";
import { replayRequest } from "../requests/replay-request.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods that show what a model was sent. */
export function contextHandlers({ sessions, parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `context.${string}`>> {
  return {
    "context.list": async ({ sessionKey, ...page }) =>
      listContextRequests({ sessionKey: await sessions.resolveKey({ sessionKey }), ...page }, parts),
    "context.report": async ({ sessionKey, ...query }) =>
      buildContextReport({ sessionKey: await sessions.resolveKey({ sessionKey }), ...query }, parts),
    "context.replay": async ({ sessionKey, replayId, ...query }, connection) =>
      replayRequest({ sessionKey: await sessions.resolveKey({ sessionKey }), ...query }, parts, {
        signal: connection.signal,
        onPiece: (piece) => connection.notify("replay", { replayId, ...piece }),
      }),
  };
}
