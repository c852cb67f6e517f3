import { BackgroundCompactor } from "../compaction/background-compactor.ts";
import { SessionCompactor } from "../compaction/session-compactor.ts";
import { TurnMessages } from "../messages/turn-messages.ts";
import { SessionWaits } from "../notices/session-waits.ts";
import { PromptResolver } from "../prompt/prompt-resolver.ts";
import { TurnConcluder } from "../turn/turn-concluder.ts";
import { TurnPreparer } from "../turn/turn-preparer.ts";
import { TurnRunner } from "../turn/turn-runner.ts";
import { UnbegunTurns } from "../turn/unbegun-turns.ts";
import type { EngineParts } from "./engine-parts.ts";

/** What turns are prepared, run and ended with, as far as others use it. */
export interface TurnParts {
  readonly waits: SessionWaits;
  readonly sessionCompactor: SessionCompactor;
  readonly backgroundCompactor: BackgroundCompactor;
  readonly preparer: TurnPreparer;
  readonly unbegun: UnbegunTurns;
  readonly runner: TurnRunner;
}

/** Makes them, each from those before it. */
export function createTurnParts(parts: EngineParts): TurnParts {
  const waits = new SessionWaits(parts);
  const sessionCompactor = new SessionCompactor(parts);
  const backgroundCompactor = new BackgroundCompactor(parts);
  const messages = new TurnMessages(parts);
  const preparer = new TurnPreparer({ ...parts, sessionCompactor, messages, prompts: new PromptResolver(parts) });
  const concluder = new TurnConcluder(parts);
  const unbegun = new UnbegunTurns({ ...parts, messages, concluder });
  const runner = new TurnRunner({ ...parts, waits, sessionCompactor, backgroundCompactor, messages, preparer, concluder, unbegun });
  return { waits, sessionCompactor, backgroundCompactor, preparer, unbegun, runner };
}
