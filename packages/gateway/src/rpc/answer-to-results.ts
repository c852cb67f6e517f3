import { joinUsage } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import type { Engine } from "../engine/engine.ts";
import { endOfInput } from "../queue/run-end.ts";
import type { RunReport } from "../queue/run-report.ts";
import { inputsOf, isInputJob } from "../queue/turn-job.ts";
import { newestReport } from "../subagents/plan-end.ts";
import { isResult } from "../subagents/tell-unheard.ts";

interface WaitOptions {
  readonly parts: Engine["parts"];
  /** Ends the wait: no one asks any longer. */
  readonly signal: AbortSignal;
  /** The inputs of the turn that waits. */
  readonly inputIds: readonly string[];
}

/**
 * The end of the turn in which a session answers the results that it waits for; of that which waits for no further ones, if there are several, with what those
 * before it have used and noted. Call it in the callback with the end of a turn that waits. Resolves with `undefined` if no turn answers them: their work was
 * stopped, or the conversation was reset; never if the gateway ends first.
 */
async function answerToResults(sessionKey: string, options: WaitOptions): Promise<RunReport | undefined> {
  const { parts, inputIds: own } = options;
  const { store, subagents, watchers } = parts;
  const seen: { readonly inputIds: readonly string[]; readonly next: Promise<RunReport | undefined> }[] = [];
  using _watch = watchers.watchSession(sessionKey, (report, inputIds) => {
    // What that turn waits for is known now alone.
    const next = waitsForResults(report) ? withResults(report, { ...options, inputIds }) : Promise.resolve(report);
    // It may be another turn's, which is not asked about.
    next.catch(() => undefined);
    seen.push({ inputIds, next });
  });
  const results = waitingResults(sessionKey, parts);
  const awaited = subagents.book.ofParent(sessionKey).filter(({ isAwaited }) => isAwaited === true);
  for (const { id, report } of awaited) {
    await subagents.untilEnded(id);
    const spawn = subagents.book.get(id);
    const eventId = spawn === undefined ? report.message.eventId : newestReport(spawn);
    const input = await store.findInput({ origin: report.message.origin, eventId });
    // An event begins no turn.
    if (input !== undefined && input.admission.isEvent !== true) results.push(input);
  }
  const ids = results.map(({ id }) => id).filter((id) => !own.includes(id));
  const isTold = (id: string): boolean => seen.some(({ inputIds }) => inputIds.includes(id));
  for (const id of ids) await untilTurnEnded(sessionKey, id, { ...options, isTold });
  return seen.findLast(({ inputIds }) => inputIds.some((id) => ids.includes(id)))?.next;
}

/** The same for a run that waits, with what that has used and noted. Call it in the callback with its end. */
export async function withResults(first: RunReport, options: WaitOptions): Promise<RunReport | undefined> {
  const last = await answerToResults(first.sessionKey, options);
  return (
    last && {
      ...last,
      usage: joinUsage(first.usage, last.usage),
      replyNotices: [...first.replyNotices, ...last.replyNotices],
      transcriptNotices: [...first.transcriptNotices, ...last.transcriptNotices],
    }
  );
}

/** True if a run has ended to wait for the results of sub-agents. */
export function waitsForResults({ outcome }: RunReport): boolean {
  return outcome.type === "done" && outcome.yielded === true;
}

/** The results that wait behind the turn. */
function waitingResults(sessionKey: string, { queue }: Engine["parts"]): InputRecord[] {
  return queue.lanes.waiting(sessionKey).filter(isInputJob).flatMap(inputsOf).filter(isResult);
}

async function untilTurnEnded(
  sessionKey: string,
  id: string,
  { parts, signal, isTold }: WaitOptions & { readonly isTold: (id: string) => boolean },
): Promise<void> {
  const { store, watchers, queue } = parts;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onEnd = (): void => resolve();
  using _watch = watchers.watch(id, { onClaimed: () => undefined, onReport: onEnd, onAnswered: onEnd, onSettled: onEnd });
  signal.addEventListener("abort", onEnd, { once: true });
  const input = await store.readInput(id);
  const hasEnded = input === undefined || endOfInput(input.state) !== undefined;
  // It may have ended before it was watched. An end is stored before it is told.
  if (isTold(id) || (hasEnded && !isWorkedOn(sessionKey, id, queue)) || signal.aborted) resolve();
  await promise;
}

function isWorkedOn(sessionKey: string, id: string, { lanes }: Engine["parts"]["queue"]): boolean {
  const job = lanes.current(sessionKey);
  if (job === undefined || job.type === "task") return false;
  return job.type === "resume" ? job.turn.inputIds.includes(id) : inputsOf(job).some((one) => one.id === id);
}
