import type { JobReceipt } from "@factotum/agent-contract";
import type { InputState } from "@factotum/store";
import { isTransientFailure } from "../kernel/transient-failure.ts";
import type { RunReport } from "./run-report.ts";

/** How one attempt of an occurrence has ended. */
export interface RunEnd {
  readonly state: "done" | "failed" | "skipped";
  readonly reason?: string;
  readonly text?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Of its webhook. What it sends to a chat is recorded when its receipt comes. */
  readonly receipt?: JobReceipt;
  /** It may run only with the owner's permission: the job is disabled, and its conversation is notified. */
  readonly needsOwner?: boolean;
  /** It failed in a way that may pass: it is tried again. */
  readonly isTransient?: boolean;
}

/** The end of a turn. */
export function endOfRun({ outcome, text, failureText, usage }: RunReport): RunEnd {
  const spent = { tokens: usage.total, ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }) };
  if (outcome.type === "done") return { state: "done", text, ...spent };
  if (outcome.type === "aborted") return { state: "failed", reason: `stopped: ${outcome.reason}`, ...spent };
  if (outcome.code === "budget" || outcome.code === "denied") return { state: "skipped", reason: `cap: ${outcome.message}`, ...spent };
  return {
    state: "failed",
    reason: failureText === "" ? outcome.message : failureText,
    isTransient: isTransientFailure(outcome.code),
    ...spent,
  };
}

/** The end of a turn that this process has not seen, from the state of its input; `undefined` while it goes on. */
export function endOfInput(state: InputState): RunEnd | undefined {
  switch (state.type) {
    case "waiting":
    case "claimed":
      return undefined;
    case "answered":
    case "silent":
    case "suppressed":
    case "command":
    case "shown":
      return { state: "done" };
    case "told":
      return state.reason.startsWith("budget:")
        ? { state: "skipped", reason: `cap: ${state.reason.slice("budget:".length).trim()}` }
        : { state: "failed", reason: state.reason };
    case "ignored":
    case "interrupted":
    case "dead":
      return { state: "failed", reason: state.reason };
  }
}
