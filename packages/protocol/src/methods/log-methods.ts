import * as z from "zod";
import { LOG_LEVEL_IDS, LogPartSchema, type LogLevelId, type LogPart } from "../shapes/logs.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";

/** Methods of the log. */
export interface LogMethods {
  /**
   * The newest lines of the log, or those written after `after`, the cursor of an earlier part, from at most a megabyte of it. `level` is the lowest one that is
   * wanted, `source` that of the lines or the beginning of it, and `text` is in them, ignoring case. `limit` 200 by default; of more lines the newest are kept.
   */
  "logs.tail": {
    params: {
      readonly level?: LogLevelId;
      readonly source?: string;
      readonly text?: string;
      readonly limit?: number;
      readonly after?: string;
    };
    result: LogPart;
  };
}

/** Rows of the log methods. */
export const LOG_METHODS: MethodTable<LogMethods> = defineMethods<LogMethods>()({
  "logs.tail": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        level: z.enum(LOG_LEVEL_IDS).optional(),
        source: z.string().min(1).max(200).optional(),
        text: z.string().min(1).max(200).optional(),
        limit: z.number().int().min(1).max(300).optional(),
        after: z
          .string()
          .regex(/^\d{1,20}:\d{1,15}$/)
          .optional(),
      }),
    result: () => LogPartSchema,
  },
});
