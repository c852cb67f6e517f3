import { realpath } from "node:fs/promises";
import type { RpcMethod } from "@factotum/protocol";
import type { SessionRecord } from "@factotum/store";
import type { EngineParts } from "../engine/engine-parts.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of editors that do something for the runs of their sessions. */
export function editorHandlers({
  editors,
  store,
  running,
}: Pick<EngineParts, "editors" | "store" | "running">): RpcHandlersOf<Extract<RpcMethod, `editor.${string}`>> {
  return {
    "editor.attach": async ({ sessionKey, ...offer }, connection) => {
      // Its folders, programs and servers are those of this machine.
      if (!connection.isLocal) throw new RpcError("forbidden", "Only an editor on the gateway's own machine is used for runs.");
      const record = await store.readSession(sessionKey);
      if (record === undefined) throw new RpcError("not-found", `There is no session "${sessionKey}".`);
      requirePrivate(record);
      const workspace = record.overrides.workspace ?? running.agent(record.agentId).config.workspace;
      const folder = await realpath(workspace).catch((error: unknown) => {
        throw new RpcError("not-found", `The folder of this session, ${workspace}, cannot be used.`, { cause: error });
      });
      // Again: the turn of others that ends this may have been stored meanwhile.
      requirePrivate(await store.readSession(sessionKey));
      return editors.attach({ sessionKey, workspace: folder, ...offer }, connection);
    },
    "editor.detach": async ({ sessionKey }, connection) => ({ detached: editors.detach(sessionKey, connection) }),
    "editor.answer": async ({ id, answer }, connection) => ({ taken: editors.answer(id, answer, connection) }),
  };
}

function requirePrivate(session: Pick<SessionRecord, "isPrivate"> | undefined): void {
  if (session?.isPrivate !== true) throw new RpcError("forbidden", "Others write in this session, so its runs use no editor.");
}
