import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { searchSessions } from "../sessions/search-sessions.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { chooseSettings, readSettings } from "./session-settings.ts";

/** Methods about the list of sessions. */
export function sessionHandlers(engine: Engine): RpcHandlersOf<Extract<RpcMethod, `sessions.${string}`>> {
  const { sessions, transfer } = engine;
  return {
    "sessions.list": async (params) => sessions.list(params),
    "sessions.search": async (query) => searchSessions(query, engine.parts),
    "sessions.show": async ({ key }) => transfer.show(await sessions.resolve({ key })),
    "sessions.export": async ({ key, ...from }) => transfer.export((await sessions.resolve({ key })).key, from),
    "sessions.import": async (params, connection) => transfer.import(params, { signal: connection.signal }),
    "sessions.resolve": async (params) => {
      if (params.key === undefined && params.label === undefined) throw new RpcError("invalid-request", "Give a key or a label.");
      return { session: await sessions.resolve(params) };
    },
    "sessions.create": async (params) => ({ session: await sessions.create(params) }),
    "sessions.patch": async (params) => ({ session: await sessions.patch(params) }),
    "sessions.settings": async ({ key }) => readSettings(await sessions.resolveTarget({ sessionKey: key }), engine),
    "sessions.choose": async ({ key, ...choice }) => chooseSettings((await sessions.resolve({ key })).key, choice, engine),
    "sessions.reset": async (params) => ({
      session: sessions.summary(
        await sessions.reset(await sessions.resolveKey({ sessionKey: params.key }), { reason: "the conversation was reset" }),
      ),
    }),
    "sessions.delete": async (params) => ({ deleted: await sessions.delete(await sessions.resolveKey({ sessionKey: params.key })) }),
  };
}
