import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** One rule of `bindings` that gives messages to an agent. */
export interface AgentBinding {
  /** Its place in the configuration: `bindings[index]`. */
  readonly index: number;
  readonly agentId: string;
  /** The agent of `acp.agents` that answers in the place of the agent's model. */
  readonly externalAgent?: string;
  /** The kind that decides its precedence, such as `peer` or `account`. */
  readonly tier: string;
  /** Every given field must match. */
  readonly match: {
    readonly channel: string;
    /** Absent: the account `default`. `*`: every account. */
    readonly accountId?: string;
    /** `*` as id: every conversation of that kind. */
    readonly peer?: { readonly kind: "direct" | "group" | "channel"; readonly id: string };
    readonly guildId?: string;
    readonly roles?: readonly string[];
    readonly teamId?: string;
  };
  /** How its direct messages share sessions, if it differs from the configuration. */
  readonly dmScope?: string;
}

/** Parses what a binding matches. */
export const AgentMatchSchema: z.ZodType<AgentBinding["match"]> = parserOf<AgentBinding["match"]>()(() =>
  z.strictObject({
    channel: z.string().min(1).max(200),
    accountId: z.string().min(1).max(200).optional(),
    peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id: z.string().min(1).max(500) }).optional(),
    guildId: z.string().min(1).max(500).optional(),
    roles: z.array(z.string()).optional(),
    teamId: z.string().min(1).max(500).optional(),
  }),
);

/** Parses a binding. */
export const AgentBindingSchema: z.ZodType<AgentBinding> = parserOf<AgentBinding>()(() =>
  z.strictObject({
    index: z.number(),
    agentId: z.string(),
    externalAgent: z.string().optional(),
    tier: z.string(),
    match: AgentMatchSchema,
    dmScope: z.string().optional(),
  }),
);
