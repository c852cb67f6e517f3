import * as z from "zod";
import {
  ToolOccasionSchema,
  ToolRuleSchema,
  ToolSummarySchema,
  type ToolOccasion,
  type ToolRule,
  type ToolSummary,
} from "../shapes/tools.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/**
 * The run in question: a message in a session, or in the main session of an agent; in the default agent's without both. Of the owner, or of the sender with
 * this id on the session's channel.
 */
interface ToolQuery {
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly sender?: string;
}

/** Methods that explain the tool policy. They decide with the functions that decide for runs, and change nothing. */
export interface ToolMethods {
  /** Every tool that was loaded, by name, and what becomes of it in such a run. */
  "tools.list": { params: ToolQuery; result: { readonly run: ToolOccasion; readonly tools: readonly ToolSummary[] } };
  /** One tool, and every layer of the policy. Rejects with `not-found` for a tool that the product does not know; the message names the nearest. */
  "tools.explain": {
    params: ToolQuery & { readonly tool: string };
    result: { readonly run: ToolOccasion; readonly tool: ToolSummary; readonly rules: readonly ToolRule[] };
  };
}

const query = { sessionKey: key.optional(), agentId: key.optional(), sender: key.optional() };

/** Rows of the tool methods. */
export const TOOL_METHODS: MethodTable<ToolMethods> = defineMethods<ToolMethods>()({
  "tools.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject(query),
    result: () => z.strictObject({ run: ToolOccasionSchema, tools: z.array(ToolSummarySchema) }),
  },
  "tools.explain": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ ...query, tool: z.string().min(1).max(200) }),
    result: () => z.strictObject({ run: ToolOccasionSchema, tool: ToolSummarySchema, rules: z.array(ToolRuleSchema) }),
  },
});
