import * as z from "zod";
import {
  ContextReportSchema,
  ContextRequestSchema,
  ReplayResultSchema,
  type ContextReport,
  type ContextRequest,
  type ReplayResult,
} from "../shapes/context.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key, limit } from "./params.ts";

/** Methods of stored model requests. */
export interface ContextMethods {
  /** The stored model requests of a session, newest first. `limit` 50 by default, 200 at most; `before` from the previous page. */
  "context.list": {
    params: { readonly sessionKey: string; readonly limit?: number; readonly before?: string };
    result: { readonly requests: readonly ContextRequest[]; readonly before?: string };
  };
  /**
   * The content of one model request: by `id`, by `turn` (its number in the conversation from 1, or its id) and `request` (its number in the turn; defaults to
   * the last), otherwise the newest. `diff` compares with the last request of another turn, or with the previous one.
   */
  "context.report": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly diff?: number | "previous";
      /** Include texts; sizes only by default. */
      readonly texts?: boolean;
    };
    result: ContextReport;
  };
  /** Replays a stored request, to its model or another. The answer is sent as `replay` events and returned as the result; the conversation does not change. */
  "context.replay": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly model?: string;
      /** Chosen by the caller; its `replay` events carry it. */
      readonly replayId: string;
    };
    result: ReplayResult;
  };
}

const whichRequest = {
  sessionKey: key.optional(),
  id: z.string().max(200).optional(),
  turn: z.union([z.number().int().min(1), z.string().min(1).max(200)]).optional(),
  request: z.number().int().min(1).optional(),
};

/** Rows of the request methods. */
export const CONTEXT_METHODS: MethodTable<ContextMethods> = defineMethods<ContextMethods>()({
  "context.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, limit: limit.optional(), before: z.string().max(200).optional() }),
    result: () => z.strictObject({ requests: z.array(ContextRequestSchema), before: z.string().optional() }),
  },
  "context.report": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        ...whichRequest,
        diff: z.union([z.number().int().min(1), z.literal("previous")]).optional(),
        texts: z.boolean().optional(),
      }),
    result: () => ContextReportSchema,
  },
  "context.replay": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ ...whichRequest, model: key.optional(), replayId: z.string().min(1).max(200) }),
    result: () => ReplayResultSchema,
  },
});
