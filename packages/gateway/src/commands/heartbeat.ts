import type { CommandAnswer } from "../notices/notice-text.ts";
import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

/** Shows when the agent wakes itself up, and what became of the last time. */
export const heartbeatCommand: Command = defineCommand({
  name: "/heartbeat",
  summary: "show when the assistant wakes itself up",
  access: "owner",
  parse: parseNothing,
  changes: changesNothing,
  run: (_, call) => heartbeatText(call),
});

async function heartbeatText({ session, schedule }: CommandCall): Promise<CommandAnswer> {
  const { agent } = await session.read();
  const { enabled, heartbeats } = await schedule();
  const beat = heartbeats.find(({ agentId }) => agentId === agent.config.id);
  if (beat === undefined) return `The agent ${agent.config.id} has no heartbeat. The setting agents.*.heartbeat switches it on.`;
  if (!enabled) return "Nothing runs by itself: cron.enabled is off.";
  const last =
    beat.last === undefined ? "None has been due yet." : `The last one, ${agent.time.timestamp(beat.last.atMs)}: ${describe(beat.last)}.`;
  return beat.nextAtMs === undefined ? last : `The next heartbeat is due ${agent.time.timestamp(beat.nextAtMs)}. ${last}`;
}

function describe({ state, reason }: { readonly state: string; readonly reason?: string }): string {
  return reason === undefined ? state : `${state} (${reason})`;
}
