import { withoutUndefined } from "@factotum/agent-contract";
import { contextBudget } from "@factotum/agent-core";
import type { rerenderMessages } from "@factotum/agent-core";
import type { SessionContext } from "../conversation/session-context.ts";

/** Options for re-rendering a session's older turns. */
export function rerenderOptions({ model, channel }: Pick<SessionContext, "model" | "channel">): Parameters<typeof rerenderMessages>[1] {
  return {
    toolResultMaxChars: contextBudget({ window: model.client.info.contextWindow }).maxToolResultChars,
    ...withoutUndefined({ promptChannel: channel?.id }),
  };
}
