import { BackgroundCompactor } from "../compaction/background-compactor.ts";
import { CompactionTriggers } from "../compaction/compaction-triggers.ts";
import { TurnMessages } from "../messages/turn-messages.ts";
import { SessionWaits } from "../notices/session-waits.ts";
import { PromptResolver } from "../prompt/prompt-resolver.ts";
import { TurnConcluder } from "../turn/turn-concluder.ts";
import { TurnPreparer } from "../preparation/turn-preparer.ts";
import { TurnRunner } from "../turn/turn-runner.ts";
import { UnbegunTurns } from "../turn/unbegun-turns.ts";
import type { EngineParts } from "./engine-parts.ts";

/** The parts that prepare, run and conclude turns, as far as others use them. */
export interface TurnParts {
  readonly waits: SessionWaits;
  readonly backgroundCompactor: BackgroundCompactor;
  readonly compaction: CompactionTriggers;
  readonly preparer: TurnPreparer;
  readonly unbegun: UnbegunTurns;
  readonly runner: TurnRunner;
}

/** Creates them, each from those before it. */
export function createTurnParts(parts: EngineParts): TurnParts {
  const waits = new SessionWaits(parts);
  const backgroundCompactor = new BackgroundCompactor(parts);
  const compaction = new CompactionTriggers({ ...parts, backgroundCompactor });
  const messages = new TurnMessages(parts);
  const prompts = new PromptResolver(parts);
  const preparer = new TurnPreparer({ ...parts, compaction, prompts, messages });
  const concluder = new TurnConcluder(parts);
  const unbegun = new UnbegunTurns({ ...parts, messages, concluder });
  const runner = new TurnRunner({ ...parts, waits, compaction, messages, preparer, concluder, unbegun });
  return { waits, backgroundCompactor, compaction, preparer, unbegun, runner };
}
