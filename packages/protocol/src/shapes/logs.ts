import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** Levels of the log, lowest first. */
export const LOG_LEVEL_IDS = ["debug", "info", "warn", "error"] as const;

/** Name of a level. */
export type LogLevelId = (typeof LOG_LEVEL_IDS)[number];

/** A fact of a line in addition to its message, such as `sessionKey`, `turnId` or `error`. */
export interface LogField {
  readonly name: string;
  /** As JSON unless it is a text, or an error with its causes; cut at 2,000 characters. */
  readonly value: string;
}

/** A line of the log, without secrets. */
export interface LogEntry {
  /** ISO 8601; absent for a line that the gateway did not write. */
  readonly time?: string;
  readonly level: LogLevelId;
  /** What it is about: an account of a channel, an agent and so on; `gateway` for none of these. */
  readonly source: string;
  readonly message: string;
  /** The other facts of the line, in its order; 50 at most. */
  readonly fields: readonly LogField[];
}

/** A part of the log. */
export interface LogPart {
  /** Oldest first. */
  readonly lines: readonly LogEntry[];
  /** What was written after this is read with it. */
  readonly cursor: string;
  /** Lines after the cursor of the request are not in it: they were more than `limit`, or their file is gone. */
  readonly missed?: true;
}

/** Parses a part of the log. */
export const LogPartSchema: z.ZodType<LogPart> = parserOf<LogPart>()(() =>
  z.strictObject({
    lines: z.array(
      z.strictObject({
        time: z.string().optional(),
        level: z.enum(LOG_LEVEL_IDS),
        source: z.string(),
        message: z.string(),
        fields: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      }),
    ),
    cursor: z.string(),
    missed: z.literal(true).optional(),
  }),
);
