import { SessionCompactor } from "../compaction/session-compactor.ts";
import { TurnMessages } from "../messages/turn-messages.ts";
import { PromptResolver } from "../prompt/prompt-resolver.ts";
import { TurnConcluder } from "../turn/turn-concluder.ts";
import { TurnPreparer } from "../turn/turn-preparer.ts";
import { UnbegunTurns } from "../turn/unbegun-turns.ts";
import type { EngineParts } from "./engine-parts.ts";

/** What turns are prepared, run and ended with. */
export interface TurnParts {
  readonly sessionCompactor: SessionCompactor;
  readonly messages: TurnMessages;
  readonly preparer: TurnPreparer;
  readonly concluder: TurnConcluder;
  readonly unbegun: UnbegunTurns;
}

/** Makes them, each from those before it. */
export function createTurnParts(parts: EngineParts): TurnParts {
  const sessionCompactor = new SessionCompactor(parts);
  const messages = new TurnMessages(parts);
  const preparer = new TurnPreparer({ ...parts, sessionCompactor, messages, prompts: new PromptResolver(parts) });
  const concluder = new TurnConcluder(parts);
  const unbegun = new UnbegunTurns({ ...parts, messages, concluder });
  return { sessionCompactor, messages, preparer, concluder, unbegun };
}
