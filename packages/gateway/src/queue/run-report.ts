import type { RunOutcome, StopReason, UsageTotals } from "@factotum/agent-contract";

/** How a turn ended, for whoever waits for it. */
export interface RunReport {
  readonly runId: string;
  readonly sessionKey: string;
  readonly outcome: RunOutcome;
  /** What the owner is told of a run that failed; empty for any other. */
  readonly failureText: string;
  /** What the assistant said last, as a person may see it; empty when it stayed silent or failed. */
  readonly text: string;
  readonly stopReason: StopReason;
  readonly model: string;
  readonly usage: UsageTotals;
  /** What the person is told beside the answer: that another model gave it, that something was left out. */
  readonly remarks: readonly string[];
  /** What the conversation is told with the answer and the chat is not: a level that the model does not take, a file that was not sent. */
  readonly notices: readonly string[];
  /** The model's thoughts, where `/reasoning` shows them; else empty. */
  readonly thoughts: string;
}

/** Callbacks of somebody who waits for one input. */
export interface InputWatcher {
  /** The turn that has taken the input. */
  readonly onClaimed: (runId: string) => void;
  /** The gateway says something about the input before its turn: what a reset has ended. */
  readonly onTold?: (text: string) => void;
  readonly onReport: (report: RunReport) => void;
  /** The input was a command: the gateway has answered it. */
  readonly onAnswered: (text: string) => void;
  /** The input got no turn and no answer: the reason says why. */
  readonly onSettled: (reason: string) => void;
}

/** Who waits for which input. In memory only: a client that has gone reads the conversation instead. */
export class InputWatchers {
  readonly #watchers = new Map<string, Set<InputWatcher>>();

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

  claimed(inputIds: readonly string[], runId: string): void {
    for (const watcher of this.#of(inputIds)) watcher.onClaimed(runId);
  }

  told(inputIds: readonly string[], text: string): void {
    for (const watcher of this.#of(inputIds)) watcher.onTold?.(text);
  }

  report(inputIds: readonly string[], report: RunReport): void {
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
