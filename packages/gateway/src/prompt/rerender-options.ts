import { toolResultMaxChars } from "@factotum/agent-core";
import type { rerenderMessages } from "@factotum/agent-core";
import type { SessionContext } from "../conversation/session-context.ts";

/** What older turns of a session are rendered for. */
export function rerenderOptions({ model, channel }: Pick<SessionContext, "model" | "channel">): Parameters<typeof rerenderMessages>[1] {
  return {
    toolResultMaxChars: toolResultMaxChars(model.client.info.contextWindow),
    ...(channel === undefined ? {} : { promptChannel: channel.id }),
  };
}
