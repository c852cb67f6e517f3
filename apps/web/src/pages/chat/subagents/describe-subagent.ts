import type { ChatSubagent, ChatSubagentState } from "@factotum/protocol";
import { formatCompact, formatDollars } from "../../../app/locale.ts";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { msg, t } from "../../../i18n/t.ts";

const STATE_WORDS: Readonly<Record<ChatSubagentState, string>> = {
  queued: msg("Waiting"),
  running: msg("Running"),
  idle: msg("Idle"),
  done: msg("Done"),
  failed: msg("Failed"),
  timeout: msg("Timed out"),
  killed: msg("Stopped"),
  lost: msg("Lost"),
};

/** A state, for people. */
export function stateWord(state: ChatSubagentState): string {
  return t(STATE_WORDS[state]);
}

const MAX_NAME_LENGTH = 80;

/** True until it has ended. */
export function isOpenSubagent({ state }: Pick<ChatSubagent, "state">): boolean {
  return state === "queued" || state === "running" || state === "idle";
}

/** True while it is spoken with like every conversation, instead of being steered. */
export function isSpokenWith({ state, isPersistent }: Pick<ChatSubagent, "state" | "isPersistent">): boolean {
  return isPersistent === true && isOpenSubagent({ state });
}

/** Its label, or the beginning of its task. */
export function subagentName({ label, task }: Pick<ChatSubagent, "label" | "task">): string {
  if (label !== undefined) return label;
  const line = task.trim().split("\n")[0] ?? "";
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH - 1)}…` : line;
}

/** Its depth, its model without the provider, and its use, as far as they are worth a word. */
export function describeSubagent({ depth, tokens, costUsd }: ChatSubagent, model: string | undefined): readonly string[] {
  const parts = [
    depth > 1 ? t("Depth {depth}", { depth }) : undefined,
    model?.split("/").at(-1),
    tokens === 0 ? undefined : t("{tokens} tokens", { tokens: formatCompact(tokens) }),
    costUsd === undefined || costUsd === 0 ? undefined : formatDollars(costUsd),
  ];
  return parts.filter((part) => part !== undefined);
}

/** The newest thing it did, or why it ended; `undefined` before it did anything. */
export function describeActivity({ state, reason, activity }: ChatSubagent): string | undefined {
  if (reason !== undefined && state !== "done") return inCapital(gatewayText(reason));
  if (activity === undefined) return undefined;
  if (activity.type === "text") return activity.text;
  return activity.text === "sessions_yield" ? t("Waits for its sub-agents") : t("Calls {tool}", { tool: activity.text });
}

function inCapital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
