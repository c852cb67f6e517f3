import * as z from "zod";
import { DeadLetterSchema, type DeadLetter } from "../shapes/dead-letters.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { limit } from "./params.ts";

/** Methods of dead letters. */
export interface DeadLetterMethods {
  /** Dead letters, newest first. `limit` 50 by default, 200 at most; `cursor` from the previous page. */
  "deadletters.list": {
    params: { readonly type?: DeadLetter["type"]; readonly limit?: number; readonly cursor?: string };
    result: { readonly letters: readonly DeadLetter[]; readonly cursor?: string };
  };
  /** One dead letter with its payload: the received message, or the part that was to be sent. */
  "deadletters.show": { params: { readonly id: string }; result: { readonly letter: DeadLetter; readonly payload?: unknown } };
  /** Retries a dead letter with its attempts reset. One that was possibly delivered is rejected with `conflict` unless `risk` is true. */
  "deadletters.replay": {
    params: { readonly id: string; readonly risk?: boolean };
    result: { readonly replayed: true; readonly sessionKey: string };
  };
  /** Purges dead letters by id, or those that failed before a time. Returns the number of purged ones. */
  "deadletters.purge": {
    params: { readonly ids?: readonly string[]; readonly failedBeforeMs?: number };
    result: { readonly purged: number };
  };
}

const letterId = z.string().min(1).max(200);

/** Rows of the dead-letter methods. */
export const DEAD_LETTER_METHODS: MethodTable<DeadLetterMethods> = defineMethods<DeadLetterMethods>()({
  "deadletters.list": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        type: z.enum(["input", "outbound"]).optional(),
        limit: limit.optional(),
        cursor: z.string().max(1000).optional(),
      }),
    result: () => z.strictObject({ letters: z.array(DeadLetterSchema), cursor: z.string().optional() }),
  },
  "deadletters.show": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ id: letterId }),
    result: () => z.strictObject({ letter: DeadLetterSchema, payload: z.unknown().optional() }),
  },
  "deadletters.replay": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id: letterId, risk: z.boolean().optional() }),
    result: () => z.strictObject({ replayed: z.literal(true), sessionKey: z.string() }),
  },
  "deadletters.purge": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ ids: z.array(letterId).min(1).max(500).optional(), failedBeforeMs: z.number().int().min(0).optional() }),
    result: () => z.strictObject({ purged: z.number() }),
  },
});
