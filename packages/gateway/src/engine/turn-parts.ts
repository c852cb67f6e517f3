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
  const { store, running, channels, conversations, cache, media, events, watchers, clock, random, logger } = parts;
  const { policy, queue, pendingEvents, toolLimits, notices, dispatcher, typing, failedRuns, observer, turnContext, toolGate, files } =
    parts;
  const { cooldowns, spend, hideSecrets, crashPoint } = parts;
  const prompts = new PromptResolver(parts);
  const preparer = new TurnPreparer({
    store,
    running,
    conversations,
    cache,
    media,
    pendingEvents,
    clock,
    random,
    logger,
    compaction,
    prompts,
    messages,
  });
  const concluder = new TurnConcluder(parts);
  const unbegun = new UnbegunTurns({
    store,
    running,
    channels,
    conversations,
    cache,
    media,
    events,
    watchers,
    clock,
    random,
    logger,
    policy,
    notices,
    failedRuns,
    hideSecrets,
    crashPoint,
    messages,
    concluder,
  });
  const runner = new TurnRunner({
    store,
    running,
    channels,
    conversations,
    cache,
    media,
    events,
    watchers,
    clock,
    random,
    logger,
    policy,
    queue,
    dispatcher,
    typing,
    observer,
    hideSecrets,
    crashPoint,
    toolLimits,
    turnContext,
    toolGate,
    files,
    cooldowns,
    spend,
    waits,
    compaction,
    messages,
    preparer,
    concluder,
    unbegun,
  });
  return { waits, backgroundCompactor, compaction, preparer, unbegun, runner };
}
