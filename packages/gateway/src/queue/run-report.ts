import type { RunOutcome, StopReason, UsageTotals } from "@factotum/agent-contract";

/** How a turn ended, for the client that waits for it. */
export interface RunReport {
  readonly runId: string;
  readonly sessionKey: string;
  readonly outcome: RunOutcome;
  /** The owner's description of a failure; empty unless the run failed. */
  readonly failureText: string;
  /** The model had been given text of others than the owner (R23). */
  readonly tainted: boolean;
  /** The last visible text of the assistant; empty if it stayed silent or failed. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly model: string;
  readonly usage: UsageTotals;
  /** Notices appended to the reply: another model gave it, something was left out. */
  readonly replyNotices: readonly string[];
  /** Notices for the transcript alone: a thinking level that the model does not support, a file that was not sent. */
  readonly transcriptNotices: readonly string[];
  /** The model's thoughts if `/reasoning` shows them; otherwise empty. */
  readonly thoughts: string;
}

/** Callbacks of a client that waits for one input. */
export interface InputWatcher {
  /** A turn has taken the input. */
  readonly onClaimed: (runId: string) => void;
  /** The gateway sent a notice about the input before its turn: what a reset stopped. */
  readonly onNotice?: (text: string) => void;
  readonly onReport: (report: RunReport) => void;
  /** The input was a command and the gateway answered it. */
  readonly onAnswered: (text: string) => void;
  /** The input ended without a turn or an answer, for this reason. */
  readonly onSettled: (reason: string) => void;
}

type SessionListener = (report: RunReport, inputIds: readonly string[]) => void;

/** Watchers by input. In memory only: a client that disconnected reads the conversation instead. */
export class InputWatchers {
  readonly #watchers = new Map<string, Set<InputWatcher>>();
  readonly #ofSessions = new Set<{ readonly sessionKey: string; readonly onReport: SessionListener }>();

  watch(inputId: string, watcher: InputWatcher): Disposable {
    const watchers = this.#watchers.get(inputId) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(inputId, watchers);
    return {
      [Symbol.dispose]: () => {
        watchers.delete(watcher);
        if (watchers.size === 0) this.#watchers.delete(inputId);
      },
    };
  }

  /** Calls back with the end of every turn of a session. */
  watchSession(sessionKey: string, onReport: SessionListener): Disposable {
    const watcher = { sessionKey, onReport };
    this.#ofSessions.add(watcher);
    return { [Symbol.dispose]: () => void this.#ofSessions.delete(watcher) };
  }

  claimed(inputIds: readonly string[], runId: string): void {
    for (const watcher of this.#of(inputIds)) watcher.onClaimed(runId);
  }

  notice(inputIds: readonly string[], text: string): void {
    for (const watcher of this.#of(inputIds)) watcher.onNotice?.(text);
  }

  report(inputIds: readonly string[], report: RunReport): void {
    // Before those of the inputs, which may begin to watch the session. A listener may add others.
    const ofSessions = new Set(this.#ofSessions);
    for (const { sessionKey, onReport } of ofSessions) if (sessionKey === report.sessionKey) onReport(report, inputIds);
    for (const watcher of this.#take(inputIds)) watcher.onReport(report);
  }

  answered(inputIds: readonly string[], text: string): void {
    for (const watcher of this.#take(inputIds)) watcher.onAnswered(text);
  }

  settled(inputIds: readonly string[], reason: string): void {
    for (const watcher of this.#take(inputIds)) watcher.onSettled(reason);
  }

  #of(inputIds: readonly string[]): readonly InputWatcher[] {
    return inputIds.flatMap((id) => [...(this.#watchers.get(id) ?? [])]);
  }

  #take(inputIds: readonly string[]): readonly InputWatcher[] {
    const watchers = this.#of(inputIds);
    for (const id of inputIds) this.#watchers.delete(id);
    return watchers;
  }
}
