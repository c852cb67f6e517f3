import * as z from "zod";

/** One agent that may call this one. */
export interface A2aPeer {
  readonly token: string;
}

/** One account: one agent card, and the peers that may send it tasks. */
export interface A2aConfig {
  /** By the peer's name, which is its id as a sender. */
  readonly peers: Readonly<Record<string, A2aPeer>>;
  readonly name: string;
  readonly description: string;
  readonly maxHops: number;
}

const TOKEN_FORM = "must have 32 to 256 characters, all of them visible ASCII: openssl rand -hex 32";
const NAME_FORM = "must begin with a letter or digit, and have at most 64 lower-case letters, digits, - and _";

const PeersSchema: z.ZodType<A2aConfig["peers"]> = z
  .record(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, NAME_FORM)
      .meta({ patternErrorMessage: NAME_FORM }),
    z.strictObject({
      token: z
        .string()
        .regex(/^[\x21-\x7e]{32,256}$/, TOKEN_FORM)
        .meta({ patternErrorMessage: TOKEN_FORM })
        .describe("The bearer token by which this peer is recognised; no other peer has it."),
    }),
  )
  .refine((peers) => Object.keys(peers).length <= 24, { error: "an account has at most 24 peers" })
  .refine((peers) => new Set(Object.values(peers).map(({ token }) => token)).size === Object.keys(peers).length, {
    error: "two peers have the same token, so they could not be told apart",
  });

/** Schema of one account, without the keys that every account has. */
export const A2aConfigSchema: z.ZodType<A2aConfig> = z.strictObject({
  peers: PeersSchema.describe("The agents that may call, by name. A name is the peer's id in `allowFrom` and `bindings`."),
  name: z.string().min(1).max(100).default("Factotum").describe("The agent's name on its card, which everyone can read."),
  description: z
    .string()
    .min(1)
    .max(1000)
    .default("A personal assistant that answers the agents its owner has admitted.")
    .describe("What the agent does, on its card, which everyone can read."),
  maxHops: z
    .int()
    .min(0)
    .max(100)
    .default(4)
    .describe("How many agents a request may have passed before it came here; one with more is refused."),
});
