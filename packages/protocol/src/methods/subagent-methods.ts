import * as z from "zod";
import { ChatSubagentSchema, type ChatSubagent } from "../shapes/subagents.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { idempotencyKey, key } from "./params.ts";

/**
 * Methods of sub-agents, each named by its session. `chat.subscribe` shows the sub-agents of a session. Both reject with `not-found` for a session that is no
 * sub-agent's, and with `conflict` for a sub-agent that has ended.
 */
export interface SubagentMethods {
  /** Those that are open, and the newest 200 that have ended, of all sessions, oldest first. `sessions-change` tells of changes. */
  "subagents.list": { params: Record<string, never>; result: { readonly subagents: readonly ChatSubagent[] } };
  /** Sends it a message while it works, or before it begins. Resolves once the message is committed; deduplicated by `idempotencyKey`. */
  "subagents.steer": {
    params: { readonly sessionKey: string; readonly text: string; readonly idempotencyKey: string };
    result: { readonly subagent: ChatSubagent };
  };
  /** Ends it with all sub-agents below it. Resolves once that is committed; its parent gets what it has said until then. */
  "subagents.kill": { params: { readonly sessionKey: string }; result: { readonly subagent: ChatSubagent } };
}

const subagent = z.lazy(() => z.strictObject({ subagent: ChatSubagentSchema }));

/** Rows of the methods of sub-agents. */
export const SUBAGENT_METHODS: MethodTable<SubagentMethods> = defineMethods<SubagentMethods>()({
  "subagents.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({}),
    result: () => z.strictObject({ subagents: z.array(ChatSubagentSchema) }),
  },
  "subagents.steer": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        sessionKey: key,
        text: z
          .string()
          .max(100_000)
          .refine((text) => text.trim() !== "", { message: "there is nothing to say" }),
        idempotencyKey,
      }),
    result: () => subagent,
  },
  "subagents.kill": { access: "owner", stores: false, params: () => z.strictObject({ sessionKey: key }), result: () => subagent },
});
