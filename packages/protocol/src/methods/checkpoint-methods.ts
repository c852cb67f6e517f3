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

/** Methods of the files that turns changed. */
export interface CheckpointMethods {
  /** The newest turns of a session that changed files and were not undone, newest first: those that `/undo` takes back. `limit` 20 by default. */
  "checkpoints.list": {
    params: { readonly sessionKey: string; readonly limit?: number };
    result: { readonly turns: readonly CheckpointTurn[] };
  };
}

const file = z.lazy(() => z.strictObject({ path: z.string(), before: z.enum(["created", "kept", "not-kept"]), refused: z.boolean() }));
const turn = z.lazy(() => z.strictObject({ turnId: z.string(), atMs: z.number(), files: z.array(file) }));

/** Rows of the checkpoint methods. */
export const CHECKPOINT_METHODS: MethodTable<CheckpointMethods> = defineMethods<CheckpointMethods>()({
  "checkpoints.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, limit: z.number().int().min(1).max(50).optional() }),
    result: () => z.strictObject({ turns: z.array(turn) }),
  },
});
