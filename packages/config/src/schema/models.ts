import { MODEL_APIS, THINKING_LEVELS, type ModelApi, type ModelCost, type ThinkingLevel } from "@factotum/agent-contract";
import * as z from "zod";
import { SecretSchema, type Secret } from "./secret.ts";
import { CountSchema, IdSchema, SecondsSchema, texts, TextSchema } from "./values.ts";

/** Limits of a model request. Keep-alives do not count as progress. */
export interface ModelTimeouts {
  readonly connectSeconds?: number | undefined;
  readonly firstEventSeconds?: number | undefined;
  readonly idleSeconds?: number | undefined;
}

/** The configured facts of one model; missing ones are looked up or guessed. */
export interface ModelEntry {
  /** The provider's own name. */
  readonly id: string;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
  /** Tokens. */
  readonly maxOutput?: number | undefined;
  readonly input?: readonly ("text" | "image")[] | undefined;
  /** `native`: the provider's own tool calls; `prompt`: tools are described in the prompt and calls are read from the text; `none`: no tools. */
  readonly tools?: "native" | "prompt" | "none" | undefined;
  /** Whether it thinks before it answers. Setting `thinkingLevels` implies true. */
  readonly reasoning?: boolean | undefined;
  /** The thinking levels that it accepts. */
  readonly thinkingLevels?: readonly ThinkingLevel[] | undefined;
  /** US dollars per million tokens. */
  readonly cost?: ModelCost | undefined;
}

/** One provider of models. */
export interface ProviderConfig {
  /** Optional for a provider that is known by its id. */
  readonly api?: ModelApi | undefined;
  /** The vendor's documented base, with or without its version. Optional for a provider that is known by its id. */
  readonly baseUrl?: string | undefined;
  /** The short form of one credential; an error together with `credentials`. */
  readonly apiKey?: Secret | undefined;
  /** Several keys by name, in the order in which they are tried. */
  readonly credentials: Readonly<Record<string, { readonly apiKey: Secret }>>;
  readonly models: readonly ModelEntry[];
  readonly timeouts: ModelTimeouts;
}

/** What turns voice messages into text: a model by its reference, or a program on this computer. */
export type TranscriptionConfig =
  | string
  | {
      /** The program and its arguments; `{file}` in one of them stands for the path of the recording. No shell. */
      readonly command: readonly string[];
      readonly timeoutSeconds: number;
    };

/** The providers, and the limits that apply to all of them. */
export interface ModelsConfig {
  /** The model that the tool `image` asks. Unset: the conversation's own if it sees images, otherwise the first configured one that does. */
  readonly image?: string | undefined;
  /** The model of the tool `image_generate`. Unset: there is no such tool. */
  readonly imageGeneration?: string | undefined;
  /** Unset: voice messages are not transcribed. */
  readonly transcription?: TranscriptionConfig | undefined;
  /** Reference of the model that embeds texts. Unset: there are no embeddings. */
  readonly embedding?: string | undefined;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** For every provider; the defaults depend on the address. */
  readonly timeouts: ModelTimeouts;
}

const TimeoutsSchema = z
  .strictObject({
    connectSeconds: SecondsSchema.optional().describe("Time until a connection is there. Unset: depends on the address."),
    firstEventSeconds: SecondsSchema.optional().describe("Time until the first event of an answer. Unset: depends on the address."),
    idleSeconds: SecondsSchema.optional().describe("Time between two events; keep-alives do not count. Unset: depends on the address."),
  })
  .prefault({});

const PriceSchema = z.number().min(0);

const CostSchema: z.ZodType<ModelCost> = z.lazy(() =>
  z.strictObject({
    input: PriceSchema.describe("US dollars for a million tokens of input."),
    output: PriceSchema.describe("US dollars for a million tokens of output."),
    cacheRead: PriceSchema.exactOptional().describe("US dollars for a million tokens that are read from the cache."),
    cacheWrite: PriceSchema.exactOptional().describe("US dollars for a million tokens that are written to the cache."),
  }),
);

/** Parses one of `models.providers.*.models`. */
export const ModelEntrySchema: z.ZodType<ModelEntry> = z.lazy(() =>
  z.strictObject({
    id: TextSchema.describe("The model's name at the provider. An entry says what is not known of a model, or known wrongly."),
    contextWindow: CountSchema.optional().describe("Tokens of the context window."),
    maxOutput: CountSchema.optional().describe("Tokens of an answer at most."),
    input: z
      .array(z.enum(["text", "image"]))
      .min(1)
      .optional()
      .describe("What the model takes."),
    tools: z
      .enum(["native", "prompt", "none"])
      .optional()
      .describe(
        "`native`: the provider's own tool calls. `prompt`: tools are described in the prompt and calls are read from the text. `none`: no tools.",
      ),
    reasoning: z.boolean().optional().describe("Whether the model thinks before it answers."),
    thinkingLevels: z.array(z.enum(THINKING_LEVELS)).min(1).optional().describe("Levels of thinking that it can be asked for."),
    cost: CostSchema.optional().describe("Prices of the model."),
  }),
);

/** Names of digits only are refused: an object lists them first and loses the written order. */
const CredentialNameSchema = IdSchema.refine((name) => !/^\d+$/.test(name), { error: "a credential's name has a letter in it" });

const ProviderIdSchema = texts("a provider's id has no space and no /", /^[^\s/]+$/);

const ProviderSchema: z.ZodType<ProviderConfig> = z.lazy(() =>
  z.strictObject({
    api: z.enum(MODEL_APIS).optional().describe("Wire format. Unset for a provider that is known by its name."),
    baseUrl: z
      .url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" })
      .optional()
      .describe("Address of the provider's API. Unset for a provider that is known by its name."),
    apiKey: SecretSchema.optional().describe("The key. Unset: the provider's usual variable in the environment."),
    credentials: z
      .record(
        CredentialNameSchema,
        z.strictObject({ apiKey: SecretSchema.describe("One of several keys, which are tried in this order; instead of `apiKey`.") }),
      )
      .default({})
      .describe("Several keys of one provider, by name."),
    models: z.array(ModelEntrySchema).default([]).describe("Facts about single models, where this version lacks them or has them wrong."),
    timeouts: TimeoutsSchema.describe("Limits for requests to this provider."),
  }),
);

const TranscriptionSchema: z.ZodType<TranscriptionConfig> = z.union([
  TextSchema,
  z.strictObject({
    command: z
      .array(TextSchema)
      .min(2)
      .refine((parts) => parts.slice(1).some((part) => part.includes("{file}")), {
        error: "one argument after the program has to contain {file}, which stands for the recording",
      })
      .describe("A program of this computer and its arguments; `{file}` stands for the recording. All that it prints is the text."),
    timeoutSeconds: SecondsSchema.default(60).describe("Time after which the program is ended."),
  }),
]);

/** Parses `models`. */
export const ModelsSchema: z.ZodType<ModelsConfig> = z
  .strictObject({
    providers: z
      .record(ProviderIdSchema, ProviderSchema)
      .default({})
      .describe("Providers by their id, the first part of a model reference."),
    timeouts: TimeoutsSchema.describe("Limits for every provider."),
    image: TextSchema.optional().describe(
      "The model that looks at images for the tool `image`, as `provider/model`. Unset: the conversation's own if it sees images, otherwise the first configured one that does.",
    ),
    imageGeneration: TextSchema.optional().describe(
      "The model that makes images for the tool `image_generate`, as `provider/model`. Unset: there is no such tool.",
    ),
    transcription: TranscriptionSchema.optional().describe(
      "What turns voice messages into text: a model as `provider/model`, or a program on this computer. Unset: they are not transcribed.",
    ),
    embedding: TextSchema.optional().describe("The model behind `/v1/embeddings`, as `provider/model`. Unset: the route answers 404."),
  })
  .describe("The providers of models.");
