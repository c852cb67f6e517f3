import * as z from "zod";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** A file that a turn changed, by its absolute path. `created`: it did not exist before. `not-kept`: it was too large. */
interface CheckpointFile {
  readonly path: string;
  readonly before: "created" | "kept" | "not-kept";
  /** An earlier restoration left it as it was, because something else had changed it. */
  readonly refused: boolean;
}

/** A turn that changed files. */
interface CheckpointTurn {
  readonly turnId: string;
  readonly atMs: number;
  readonly files: readonly CheckpointFile[];
}

/** The outcome of a file. `refused`: something else changed it since; `lost`: for `reason` it cannot be restored. */
interface RestoredCheckpoint {
  readonly path: string;
  readonly type: "restored" | "removed" | "unchanged" | "refused" | "lost";
  readonly reason?: string;
}

/** Methods of the files that turns changed. */
export interface CheckpointMethods {
  /** The newest turns of a session that changed files and were not undone, newest first. `limit` 20 by default. */
  "checkpoints.list": {
    params: { readonly sessionKey: string; readonly limit?: number };
    result: { readonly turns: readonly CheckpointTurn[] };
  };
  /**
   * Gives the files of the newest such turn what they held before it; a repeated call continues with the turn before. With `force` also files that something
   * else has changed since. With `turnId` only those of that turn, of the 50 newest; what a later turn has changed, too, is refused without `force`. No `turnId`
   * in the result: there was nothing to restore. Rejects with `conflict` while the turn runs.
   */
  "checkpoints.restore": {
    params: { readonly sessionKey: string; readonly force?: boolean; readonly turnId?: string };
    result: { readonly turnId?: string; readonly files: readonly RestoredCheckpoint[] };
  };
}

const file = z.lazy(() => z.strictObject({ path: z.string(), before: z.enum(["created", "kept", "not-kept"]), refused: z.boolean() }));
const turn = z.lazy(() => z.strictObject({ turnId: z.string(), atMs: z.number(), files: z.array(file) }));
const restored = z.lazy(() =>
  z.strictObject({
    path: z.string(),
    type: z.enum(["restored", "removed", "unchanged", "refused", "lost"]),
    reason: z.string().optional(),
  }),
);

/** Rows of the checkpoint methods. */
export const CHECKPOINT_METHODS: MethodTable<CheckpointMethods> = defineMethods<CheckpointMethods>()({
  "checkpoints.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, limit: z.number().int().min(1).max(50).optional() }),
    result: () => z.strictObject({ turns: z.array(turn) }),
  },
  "checkpoints.restore": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ sessionKey: key, force: z.boolean().optional(), turnId: key.optional() }),
    result: () => z.strictObject({ turnId: z.string().optional(), files: z.array(restored) }),
  },
});
