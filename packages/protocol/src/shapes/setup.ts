import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A model provider, for the first-run setup. Keys are identified by their location; their values are never included. */
export interface SetupProvider {
  /** The provider part of a model reference. */
  readonly id: string;
  readonly label: string;
  /** Where to create a key or download the server; absent for a provider that only the configuration knows. */
  readonly url?: string;
  /** False for a server that accepts requests without a key. */
  readonly needsKey: boolean;
  /** Location of its key: a file, an environment variable, a setting. Absent if there is none. */
  readonly keyPlace?: string;
  /** Why no key could be read from that location. */
  readonly keyProblem?: string;
  /** True for a local server that responds now. */
  readonly running?: boolean;
  /** The suggested model, without the provider. */
  readonly defaultModel?: string;
}

/** When the assistant wakes itself up, of what setup offers: not at all; every 30 minutes from 8 to 22 o'clock; every 30 minutes, day and night. */
export type SetupHeartbeat = "off" | "day" | "always";

/** The current setup, and what can be set up. */
export interface SetupState {
  readonly model: {
    /** `provider/model`. */
    readonly reference: string;
    /** `configured`: by the file. `found`: by a key in the environment or a local server. `demo`: neither. */
    readonly source: "configured" | "found" | "demo";
    /** Why it was selected, for display. */
    readonly reason: string;
  };
  /** The default agent. Its name is absent until a person sets it. `other`: the heartbeat is configured in another way than setup offers. */
  readonly agent: { readonly id: string; readonly name?: string; readonly heartbeat: SetupHeartbeat | "other" };
  readonly providers: readonly SetupProvider[];
  /** The configured accounts of channels, a channel, or `channel:account`; without those that need no set-up. */
  readonly channels: readonly string[];
}

/** How a test of a provider or a model ends. */
export const SETUP_CHECK_TYPES = [
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
] as const;

/** The result of a provider test: the finding and what to do. */
export interface SetupCheck {
  readonly type: (typeof SETUP_CHECK_TYPES)[number];
  readonly message: string;
  /** The models that support chat, without the provider. */
  readonly models: readonly string[];
}

/** Parses the state of the setup. */
export const SetupStateSchema: z.ZodType<SetupState> = parserOf<SetupState>()(() =>
  z.strictObject({
    model: z.strictObject({ reference: z.string(), source: z.enum(["configured", "found", "demo"]), reason: z.string() }),
    agent: z.strictObject({ id: z.string(), name: z.string().optional(), heartbeat: z.enum(["off", "day", "always", "other"]) }),
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
    channels: z.array(z.string()),
  }),
);

/** Parses the result of a test. */
export const SetupCheckSchema: z.ZodType<SetupCheck> = parserOf<SetupCheck>()(() =>
  z.strictObject({
    type: z.enum(SETUP_CHECK_TYPES),
    message: z.string(),
    models: z.array(z.string()),
  }),
);
