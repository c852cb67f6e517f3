import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** All states of a tool. */
export const TOOL_STATES = ["available", "asks", "refused", "removed", "missing"] as const;

/**
 * What becomes of a tool in a run. `asks`: calls need the owner's decision, all or some of them. `refused`: the model is told that there is such a tool, and its
 * calls are refused. `removed`: the model is not told of it. `missing`: this gateway has not loaded it.
 */
export type ToolState = (typeof TOOL_STATES)[number];

/** A tool in a run. */
export interface ToolSummary {
  readonly name: string;
  readonly state: ToolState;
  /** The rule that decided; absent for an available tool. */
  readonly reason?: string;
}

/** One layer of the policy and what it says of a tool. */
export interface ToolRule {
  /** `exec`, `global`, `agent`, `provider`, `group`, `sender` or `sandbox`. */
  readonly layer: string;
  /** Where it is configured. */
  readonly key: string;
  readonly admits: boolean;
  /** What decided in it: an entry of a list, the lack of one in `allow`, the profile, the mode of commands (`entry`), or nothing. */
  readonly by: "deny" | "allow" | "profile" | "mode" | "nothing";
  readonly entry?: string;
}

/** The run that tools are explained for. */
export interface ToolOccasion {
  readonly sessionKey: string;
  readonly agentId: string;
  /** Reference of the model; absent if there is no usable one. */
  readonly model?: string;
  readonly owner: boolean;
  /** The sender's id on the session's channel, where one is known. */
  readonly sender?: string;
  readonly sandboxed: boolean;
  /** Commands of a sandboxed run run on the host. */
  readonly elevated: boolean;
  /** The conversation's mode: `read-only`, `ask`, `workspace` or `full`. */
  readonly mode: string;
}

/** Parses a tool in a run. */
export const ToolSummarySchema: z.ZodType<ToolSummary> = parserOf<ToolSummary>()(() =>
  z.strictObject({ name: z.string(), state: z.enum(TOOL_STATES), reason: z.string().optional() }),
);

/** Parses what a layer says. */
export const ToolRuleSchema: z.ZodType<ToolRule> = parserOf<ToolRule>()(() =>
  z.strictObject({
    layer: z.string(),
    key: z.string(),
    admits: z.boolean(),
    by: z.enum(["deny", "allow", "profile", "mode", "nothing"]),
    entry: z.string().optional(),
  }),
);

/** Parses the run. */
export const ToolOccasionSchema: z.ZodType<ToolOccasion> = parserOf<ToolOccasion>()(() =>
  z.strictObject({
    sessionKey: z.string(),
    agentId: z.string(),
    model: z.string().optional(),
    owner: z.boolean(),
    sender: z.string().optional(),
    sandboxed: z.boolean(),
    elevated: z.boolean(),
    mode: z.string(),
  }),
);
