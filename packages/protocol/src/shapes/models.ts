import * as z from "zod";
import { parserOf } from "../parser-of.ts";
import { THINKING_LEVEL_IDS, type ThinkingLevelId } from "./session-settings.ts";
import { SETUP_CHECK_TYPES, type SetupCheck } from "./setup.ts";
import { RunUsageSchema, type RunUsage } from "./usage.ts";

/** US dollars per million tokens. Absent: unknown. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** A model that can be chosen, and what is known of it. */
export interface ModelSummary {
  /** `provider/model`. */
  readonly reference: string;
  readonly provider: string;
  /** The provider's own name. */
  readonly id: string;
  readonly alias?: string;
  /** The first that holds: its provider lists it now; the configuration names it; this version knows it. */
  readonly source: "provider" | "configured" | "catalogue";
  /** The default agent uses it. */
  readonly isDefault: boolean;
  /** Its provider has a key that can be read, or needs none. */
  readonly hasKey: boolean;
  /** False if nothing is known of it, so that careful limits hold. */
  readonly isKnown: boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutput: number;
  readonly input: readonly ("text" | "image")[];
  /** `prompt`: tools are described in the prompt; `none`: it gets no tools. */
  readonly tools: "native" | "prompt" | "none";
  readonly reasoning: boolean;
  /** The levels of thinking that it takes, lowest first. */
  readonly thinkingLevels: readonly ThinkingLevelId[];
  readonly price?: ModelPrice;
}

/** The models of one question. */
export interface ModelList {
  /** Reference of the default agent's model. */
  readonly model: string;
  readonly models: readonly ModelSummary[];
  /** Which providers gave no list, and why, for people. */
  readonly problems: readonly string[];
}

/** How a test of one model ended. Everything but `works` needs a person, or a later try. */
export interface ModelTest {
  readonly model: string;
  readonly type: SetupCheck["type"];
  /** For people: the finding and, unless it works, what to do. */
  readonly message: string;
  /** Milliseconds until the first word, and until the end; absent if the model was not asked. */
  readonly firstTokenMs?: number;
  readonly durationMs?: number;
  readonly usage?: RunUsage;
}

const price = z.lazy(() =>
  z.strictObject({ input: z.number(), output: z.number(), cacheRead: z.number().optional(), cacheWrite: z.number().optional() }),
);

/** Parses a list of models. */
export const ModelListSchema: z.ZodType<ModelList> = parserOf<ModelList>()(() =>
  z.strictObject({
    model: z.string(),
    models: z.array(
      z.strictObject({
        reference: z.string(),
        provider: z.string(),
        id: z.string(),
        alias: z.string().optional(),
        source: z.enum(["provider", "configured", "catalogue"]),
        isDefault: z.boolean(),
        hasKey: z.boolean(),
        isKnown: z.boolean(),
        contextWindow: z.number(),
        maxOutput: z.number(),
        input: z.array(z.enum(["text", "image"])),
        tools: z.enum(["native", "prompt", "none"]),
        reasoning: z.boolean(),
        thinkingLevels: z.array(z.enum(THINKING_LEVEL_IDS)),
        price: price.optional(),
      }),
    ),
    problems: z.array(z.string()),
  }),
);

/** Parses the result of a test. */
export const ModelTestSchema: z.ZodType<ModelTest> = parserOf<ModelTest>()(() =>
  z.strictObject({
    model: z.string(),
    type: z.enum(SETUP_CHECK_TYPES),
    message: z.string(),
    firstTokenMs: z.number().optional(),
    durationMs: z.number().optional(),
    usage: RunUsageSchema.optional(),
  }),
);
