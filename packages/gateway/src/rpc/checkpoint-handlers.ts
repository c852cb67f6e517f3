import type { RpcMethod } from "@factotum/protocol";
import type { CheckpointRecord } from "@factotum/store";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";

const DEFAULT_LIMIT = 20;

/** The methods that list and restore what files held before turns. The caller has the token: the owner. */
export function checkpointHandlers({ checkpoints, sessions }: Engine): RpcHandlersOf<Extract<RpcMethod, `checkpoints.${string}`>> {
  return {
    "checkpoints.list": async ({ sessionKey, limit = DEFAULT_LIMIT }) => {
      const turns = await checkpoints.list(await sessions.resolveKey({ sessionKey }), { owner: true, limit });
      return { turns: turns.map(({ files, ...turn }) => ({ ...turn, files: files.map(toFile) })) };
    },
    "checkpoints.restore": async ({ sessionKey, force = false, turnId }) => {
      const outcome = await checkpoints.restore(await sessions.resolveKey({ sessionKey }), { owner: true, force, turnId });
      switch (outcome.type) {
        case "running":
          throw new RpcError("conflict", "The turn that changed the files is still running. Stop it first.");
        case "nothing":
          return { files: [] };
        case "done":
          return { turnId: outcome.turnId, files: outcome.files };
      }
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
