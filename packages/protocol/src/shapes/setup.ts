import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A provider of models as a first run shows it. Keys are named by where they stand, never given. */
export interface SetupProvider {
  /** What a model reference starts with. */
  readonly id: string;
  readonly label: string;
  /** Where a key is made, or the server is downloaded; absent for one that only the configuration knows. */
  readonly url?: string;
  /** False for a server that takes requests without a key. */
  readonly needsKey: boolean;
  /** Where its key stands: a file, an environment variable, a setting. Absent without one. */
  readonly keyPlace?: string;
  /** Why the key that is named there has no value. */
  readonly keyProblem?: string;
  /** True for a local server that answers now. */
  readonly running?: boolean;
  /** The model to begin with, without the provider. */
  readonly defaultModel?: string;
}

/** What is set up, and what can be. */
export interface SetupState {
  readonly model: {
    /** `provider/model`. */
    readonly reference: string;
    /** `configured`: by the file. `found`: by a key in the environment or a local server. `demo`: nothing was found. */
    readonly source: "configured" | "found" | "demo";
    /** For people: why it is this one. */
    readonly reason: string;
  };
  /** The default agent. Its name is absent until a person gives it one. */
  readonly agent: { readonly id: string; readonly name?: string };
  readonly providers: readonly SetupProvider[];
}

/** The result of a test of a provider: what was found and what to do. */
export interface SetupCheck {
  readonly type:
    | "works"
    | "missing-key"
    | "refused-key"
    | "no-credit"
    | "unknown-model"
    | "unusable-model"
    | "no-models"
    | "rate-limited"
    | "unreachable"
    | "failed";
  readonly message: string;
  /** The models that can hold a conversation, without the provider. */
  readonly models: readonly string[];
}

/** Parses the state of the setup. */
export const SetupStateSchema: z.ZodType<SetupState> = parserOf<SetupState>()(
  z.strictObject({
    model: z.strictObject({ reference: z.string(), source: z.enum(["configured", "found", "demo"]), reason: z.string() }),
    agent: z.strictObject({ id: z.string(), name: z.string().optional() }),
    providers: z.array(
      z.strictObject({
        id: z.string(),
        label: z.string(),
        url: z.string().optional(),
        needsKey: z.boolean(),
        keyPlace: z.string().optional(),
        keyProblem: z.string().optional(),
        running: z.boolean().optional(),
        defaultModel: z.string().optional(),
      }),
    ),
  }),
);

/** Parses the result of a test. */
export const SetupCheckSchema: z.ZodType<SetupCheck> = parserOf<SetupCheck>()(
  z.strictObject({
    type: z.enum([
      "works",
      "missing-key",
      "refused-key",
      "no-credit",
      "unknown-model",
      "unusable-model",
      "no-models",
      "rate-limited",
      "unreachable",
      "failed",
    ]),
    message: z.string(),
    models: z.array(z.string()),
  }),
);
