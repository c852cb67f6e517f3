import { RUN_KINDS } from "@factotum/agent-contract";
import * as z from "zod";
import { AmountSchema, IdSchema } from "./values.ts";

/** The limits of one day, until local midnight. Absent: no limit. */
export interface SpendCap {
  readonly tokensPerDay?: number | undefined;
  readonly usdPerDay?: number | undefined;
}

/** Limits of the cost of runs. */
export interface SpendConfig {
  /** Per agent, for all unattended causes together. */
  readonly unattended: { readonly tokensPerDay: number; readonly usdPerDay: number };
  readonly perCause: Readonly<Record<string, SpendCap>>;
  readonly perAgent: Readonly<Record<string, SpendCap>>;
}

const UsdSchema = z.number().min(0);
const CapSchema = z.strictObject({
  tokensPerDay: AmountSchema.optional().describe("Tokens in a day, until local midnight."),
  usdPerDay: UsdSchema.optional().describe("US dollars in a day."),
});

/** Parses `spend`. */
export const SpendSchema: z.ZodType<SpendConfig> = z
  .strictObject({
    unattended: z
      .strictObject({
        tokensPerDay: AmountSchema.default(1_000_000).describe(
          "Tokens in a day, until local midnight, for everything that runs without a person, for each agent.",
        ),
        usdPerDay: UsdSchema.default(2).describe("US dollars in a day for the same."),
      })
      .prefault({})
      .describe("Caps for everything that runs without a person, for each agent."),
    perCause: z.partialRecord(z.enum(RUN_KINDS), CapSchema).default({}).describe("Caps by kind of run."),
    perAgent: z.record(IdSchema, CapSchema).default({}).describe("Caps by agent."),
  })
  .describe("Caps on what runs cost in a day.");
