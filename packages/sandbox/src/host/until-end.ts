import type { Clock } from "@factotum/agent-contract";
import type { Excess } from "../limits/command-limits.ts";

/** How the first process of a command ended. */
export type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };

/** A command that exceeded a limit. */
export type OverLimit = Excess & { readonly type: "over-limit" };

/** Why a command is ended from outside. */
export type Stop = { readonly type: "timed-out" } | { readonly type: "aborted" } | OverLimit;

/** Resolves with the external reason for ending the command, or undefined if it ended by itself. `timeoutMs` 0: no limit. */
export function untilExitOrStop(
  exited: Promise<Exit>,
  timeoutMs: number,
  options: { readonly clock: Clock; readonly signal: AbortSignal; readonly over: Promise<OverLimit> },
): Promise<Stop | undefined> {
  return new Promise((resolve) => {
    const onAbort = (): void => settle({ type: "aborted" });
    const timer = timeoutMs === 0 ? undefined : options.clock.schedule(timeoutMs, () => settle({ type: "timed-out" }));
    const settle = (stop: Stop | undefined): void => {
      timer?.[Symbol.dispose]();
      options.signal.removeEventListener("abort", onAbort);
      resolve(stop);
    };
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    void options.over.then(settle);
    void exited.then(() => settle(undefined));
  });
}

/** Resolves with the promise, or after `maxWaitMs` without it. */
export function within(promise: Promise<void>, clock: Clock, maxWaitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(maxWaitMs, resolve);
    void promise.then(() => {
      timer[Symbol.dispose]();
      resolve();
    });
  });
}
