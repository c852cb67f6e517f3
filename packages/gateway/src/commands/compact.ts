import { LaneAbort } from "../kernel/lane-abort.ts";
import { leftOutNotice } from "../compaction/compaction-outcome.ts";
import type { CompactionOutcome } from "../compaction/compaction-outcome.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { defineCommand } from "./define-command.ts";
import type { Command } from "./define-command.ts";

interface Options {
  readonly instructions?: string;
}

/** Summarises the older part of the conversation now. */
export const compactCommand: Command = defineCommand<Options>({
  name: "/compact",
  summary: "summarise older messages now; words after it say what matters",
  hint: "[WORDS]",
  access: "anyone",
  parse: (words) => {
    const found = /^(?:\s+(.*))?$/s.exec(words);
    return found === null ? undefined : found[1] === undefined ? {} : { instructions: found[1] };
  },
  changes: () => true,
  run: (options, { session: { target }, sessions }) => compact(sessions, target.sessionKey, options),
});

async function compact(sessions: SessionService, sessionKey: string, options: Options): Promise<string> {
  let outcome: CompactionOutcome;
  try {
    outcome = await sessions.compact(sessionKey, options);
  } catch (error) {
    if (error instanceof LaneAbort) return "Stopped before anything was summarised.";
    throw error;
  }
  if (outcome.type === "nothing") return "There is nothing to summarise yet.";
  const notice = leftOutNotice(outcome);
  if (notice !== undefined) return notice;
  return outcome.how === "summary"
    ? "Older messages are summarised now."
    : "No model could summarise the older messages, so they were cut by rule.";
}
