import { defineCommand, parseNothing } from "./define-command.ts";
import type { Command } from "./define-command.ts";
import { stoppedText } from "./stopped-text.ts";

/** Ends the run and drops waiting messages. `WorkStopper` in `sessions/work-stopper.ts` does it, also for resets, deletions and aborts by clients. */
export const stopCommand: Command = defineCommand({
  name: "/stop",
  summary: "stop what I am doing and forget what waits",
  access: "anyone",
  parse: parseNothing,
  changes: () => true,
  run: async (_, { session: { target }, sessions }) => {
    const by = target.input.message;
    const stopped = await sessions.stopper.stop(target.sessionKey, {
      queued: true,
      endsCommands: true,
      endsSubagents: true,
      reason: "you asked me to stop",
      by,
    });
    return stoppedText(stopped) ?? "There was nothing to stop.";
  },
});
