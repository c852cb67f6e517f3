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

/** Parses a binding. */
export const AgentBindingSchema: z.ZodType<AgentBinding> = parserOf<AgentBinding>()(() =>
  z.strictObject({
    index: z.number(),
    agentId: z.string(),
    externalAgent: z.string().optional(),
    tier: z.string(),
    match: z.strictObject({
      channel: z.string(),
      accountId: z.string().optional(),
      peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id: z.string() }).optional(),
      guildId: z.string().optional(),
      roles: z.array(z.string()).optional(),
      teamId: z.string().optional(),
    }),
    dmScope: z.string().optional(),
  }),
);
