import * as z from "zod";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import { patternCost } from "./pattern-cost.ts";

const TIME_ZONE = "a time zone such as Europe/Berlin is expected";

/** A string of one form; `error` names the form for every mismatch. */
export function texts(error: string, form: RegExp): z.ZodString {
  return z.string({ error }).regex(form, { error });
}

/** A TCP port; 0 asks the system for a free one. */
export const PortSchema: z.ZodType<number> = z.int().min(0).max(65_535);

/** An integer of at least 1. */
export const CountSchema: z.ZodType<number> = z.int().min(1);

/** An integer of at least 0. */
export const AmountSchema: z.ZodType<number> = z.int().min(0);

/** Seconds above zero, at most the 24.8 days that a timer supports. */
export const SecondsSchema: z.ZodType<number> = z.number().positive().max(2_147_483);

/** A text that is not empty. */
export const TextSchema: z.ZodType<string> = z.string().min(1);

/** Names, none of them empty. */
export const NamesSchema: z.ZodArray<typeof TextSchema> = z.array(TextSchema);

/** Settings of any form. */
export const FreeSchema: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());

/** `30s`, `15m`, `2h`, `7d`. */
export const DurationSchema: z.ZodType<string> = texts('a duration such as "30s", "15m", "2h" or "7d" is expected', /^[1-9]\d*(s|m|h|d)$/);

/** An id that becomes part of keys and folders: lower case, digits, `-` and `_`. */
export const IdSchema: z.ZodType<string> = texts(
  "an id is lower case letters, digits, - and _, at most 64 of them",
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
);

/** A platform's id; numbers are converted to their digits. */
export const PlatformIdSchema: z.ZodType<string> = z.union([TextSchema, z.int().transform(String)]);

/** A time zone name of the IANA list, such as `Europe/Berlin`. */
export const TimeZoneSchema: z.ZodType<string> = z.string({ error: TIME_ZONE }).refine(isTimeZone, {
  error: ({ input }) => `${TIME_ZONE}${suggestion(nearestName(String(input), Intl.supportedValuesOf("timeZone")))}`,
});

/** A regular expression that compiles and cannot take exponential time. */
export const PatternSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(200)
  .refine(isPattern, { error: "a valid regular expression is expected" })
  .refine((source) => !isPattern(source) || patternCost(source) !== "unbounded", {
    error: "this expression can take too long: no repetition or alternatives inside a repeated group, and no reference to a group",
  });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "iu") instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
