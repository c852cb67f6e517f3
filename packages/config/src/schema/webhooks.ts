import { THINKING_LEVELS, type ThinkingLevel } from "@factotum/agent-contract";
import * as z from "zod";
import { SecretSchema, type Secret } from "./secret.ts";
import { CountSchema, IdSchema, TextSchema, texts } from "./values.ts";

/** How the requests of a mapping prove where they come from. */
export const WEBHOOK_SCHEMES = ["bearer", "github", "gitlab", "stripe", "slack", "standard-webhooks"] as const;

/** Name of a scheme. */
export type WebhookScheme = (typeof WEBHOOK_SCHEMES)[number];

/** What happens to the requests of one address below `hooks.path`. */
export interface WebhookMapping {
  readonly name: string;
  readonly scheme: WebhookScheme;
  /** Of `bearer`, `hooks.token` by default. */
  readonly secret?: Secret | undefined;
  /** Values that a request must have, by path in the body or, with `headers.`, by header; others are ignored. */
  readonly match: Readonly<Record<string, string | readonly string[]>>;
  readonly action: "agent" | "wake";
  readonly agentId?: string | undefined;
  /** A template; without one each request has a session of its own. */
  readonly sessionKey?: string | undefined;
  /** The owner's words. */
  readonly task?: string | undefined;
  /** A template for what is given to the model as text of others; the whole body by default. */
  readonly message?: string | undefined;
  readonly wakeMode: "now" | "next-heartbeat";
  /** `owner`, `none`, or an address. */
  readonly deliver: string;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingLevel | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly toolsAllow?: readonly string[] | undefined;
}

/** Requests of other systems. */
export interface WebhooksConfig {
  readonly enabled: boolean;
  readonly path: string;
  readonly token?: Secret | undefined;
  readonly maxBodyBytes: number;
  readonly allowRequestSessionKey: boolean;
  readonly allowedSessionKeyPrefixes: readonly string[];
  /** Addresses that requests may name. */
  readonly deliverTo: readonly string[];
  readonly mappings: readonly WebhookMapping[];
}

/** Routes below `hooks.path` that are no mappings. */
const OWN_ROUTES: ReadonlySet<string> = new Set(["wake", "agent"]);
/** Paths of the gateway. */
const TAKEN = /^\/(?:v1|ws|media|uploads|channels|plugins|healthz|readyz|metrics|assets)(?:\/|$)/;
const MAX_BODY_BYTES = 8 * 1024 * 1024;

const AddressSchema = texts("owner, none, channel:id or channel/account:id is expected", /^[a-z0-9_-]+(?:\/[^:\s]+)?:\S+$/u);

const MappingSchema: z.ZodType<WebhookMapping> = z
  .strictObject({
    name: IdSchema.refine((name) => !OWN_ROUTES.has(name), "wake and agent are routes of their own: choose another name").describe(
      "The last part of the address: `/hooks/<name>`.",
    ),
    scheme: z
      .enum(WEBHOOK_SCHEMES)
      .default("bearer")
      .describe("How requests prove where they come from: `Authorization: Bearer`, or the signature of a platform."),
    secret: SecretSchema.optional().describe(
      "What the scheme checks with. Of `bearer`, `hooks.token` by default; the other schemes need it.",
    ),
    match: z
      .record(TextSchema, z.union([z.string(), z.array(z.string()).min(1)]))
      .default({})
      .describe(
        "Values that a request must have, by path (`action`, `a[0].b`), or by header (`headers.x-github-event`). Other requests are answered and ignored.",
      ),
    action: z.enum(["agent", "wake"]).default("agent").describe("`agent`: a turn of its own. `wake`: an event for the heartbeat."),
    agentId: IdSchema.optional().describe("The agent; the default agent by default."),
    sessionKey: TextSchema.optional().describe(
      "The session, with `{{path}}` for values of the request, such as `hook:issue:{{issue.number}}`. By default each request has one of its own.",
    ),
    task: TextSchema.optional().describe("Your words: what the agent does with it. By default it says what you should know."),
    message: TextSchema.optional().describe(
      "What the agent is shown of the request, with `{{path}}` for its values. All of it is text of others. By default the whole body.",
    ),
    wakeMode: z.enum(["now", "next-heartbeat"]).default("now").describe("Of `wake`: whether the heartbeat is woken at once."),
    deliver: z
      .union([z.enum(["owner", "none"]), AddressSchema])
      .default("owner")
      .describe("Who gets the answer: `owner` (your direct conversation), `none`, or an address as `channel:id`."),
    model: TextSchema.optional().describe("Instead of the agent's model."),
    thinking: z.enum(THINKING_LEVELS).optional().describe("Instead of the agent's thinking level."),
    timeoutSeconds: CountSchema.optional().describe("Time limit of a turn, if shorter than the agent's."),
    toolsAllow: z.array(TextSchema).optional().describe("The only tools that its turns may call."),
  })
  .refine(({ scheme, secret }) => scheme === "bearer" || secret !== undefined, { error: "this scheme needs its secret", path: ["secret"] });

/** Parses `hooks`. */
export const WebhooksSchema: z.ZodType<WebhooksConfig> = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Requests of other systems are taken."),
    path: z
      .string()
      .regex(/^(?:\/[a-z0-9][a-z0-9_-]*)+$/, "a path such as /hooks is expected")
      .refine((path) => !TAKEN.test(path), "the gateway itself answers there: choose another path")
      .default("/hooks")
      .describe("Where they are taken."),
    token: SecretSchema.optional().describe(
      "The bearer token of `wake`, `agent` and mappings without a secret of their own. Not the gateway's token. Without it, those refuse every request.",
    ),
    maxBodyBytes: z.int().min(1).max(MAX_BODY_BYTES).default(262_144).describe("Largest body."),
    allowRequestSessionKey: z.boolean().default(false).describe("Requests of `agent` may name a session."),
    allowedSessionKeyPrefixes: z.array(TextSchema).default(["hook:"]).describe("How the sessions begin that they may name."),
    deliverTo: z
      .array(AddressSchema)
      .default([])
      .describe("Addresses that requests of `agent` may name, in addition to your direct conversation, written as `channel:id`."),
    mappings: z.array(MappingSchema).default([]).describe("Addresses for single systems."),
  })
  .refine(({ mappings }) => new Set(mappings.map(({ name }) => name)).size === mappings.length, {
    error: "two mappings have the same name",
    path: ["mappings"],
  })
  .describe("Requests of other systems: webhooks.");
