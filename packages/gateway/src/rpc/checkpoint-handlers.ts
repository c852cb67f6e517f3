import type { RpcMethod } from "@factotum/protocol";
import type { CheckpointRecord } from "@factotum/store";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

const DEFAULT_LIMIT = 20;

/** The method that lists the turns which `/undo` can take back. The caller has the token: the owner. */
export function checkpointHandlers({ checkpoints, sessions }: Engine): RpcHandlersOf<Extract<RpcMethod, `checkpoints.${string}`>> {
  return {
    "checkpoints.list": async ({ sessionKey, limit = DEFAULT_LIMIT }) => {
      const turns = await checkpoints.list(await sessions.resolveKey({ sessionKey }), { owner: true, limit });
      return { turns: turns.map(({ files, ...turn }) => ({ ...turn, files: files.map(toFile) })) };
    },
  };
}

function toFile({ path, before, isRefused }: CheckpointRecord): {
  readonly path: string;
  readonly before: "created" | "kept" | "not-kept";
  readonly refused: boolean;
} {
  return { path, before: before.type === "absent" ? "created" : before.type, refused: isRefused };
}
