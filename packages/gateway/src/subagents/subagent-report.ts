import { plural } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { UntrustedNote } from "@factotum/channel-contract";
import type { NoticeBlock, SpawnEndState, SpawnRecord } from "@factotum/store";
import { quoteLines } from "../kernel/quote-lines.ts";

/** UTF-16 units of a result that its parent is given; the log has the rest. */
const MAX_RESULT_CHARS = 16_000;
const MAX_TASK_CHARS = 500;
/** Digits of a run id: few for a model to repeat, enough to be unique in a session. */
const ID_CHARS = 8;

/** How a sub-agent has ended, for its parent. */
export interface ReportedEnd {
  readonly state: SpawnEndState;
  readonly reason?: string | undefined;
  readonly result: string;
  readonly durationMs: number;
  readonly tokens: number;
  readonly costUsd?: number | undefined;
  /** It had read text of others than the owner (R23). */
  readonly isTainted: boolean;
  /** It stays open for further messages. */
  readonly stays: boolean;
}

/** What a conversation is told of an end. */
export interface PlainReport {
  readonly text: string;
  readonly blocks?: readonly NoticeBlock[];
}

/** The run id as models and people write it. */
function shortId({ id }: Pick<SpawnRecord, "id">): string {
  return id.slice(0, ID_CHARS);
}

/** A sub-agent by its label and id. */
export function nameOf(spawn: Pick<SpawnRecord, "id" | "label">): string {
  return spawn.label === undefined ? shortId(spawn) : `${JSON.stringify(spawn.label)} (${shortId(spawn)})`;
}

/**
 * The text that tells a parent of an end, and the result as text of others where it is that. The state is the gateway's, never the sub-agent's word.
 * `isEvent`: it is shown in a turn that answers something else, so it asks for no answer.
 */
export function reportText(
  spawn: Pick<SpawnRecord, "id" | "label" | "task" | "state">,
  end: ReportedEnd,
  { isNested, isEvent }: { readonly isNested: boolean; readonly isEvent: boolean },
): { readonly text: string; readonly untrusted: readonly UntrustedNote[] } {
  const result = cutText(end.result.trim(), MAX_RESULT_CHARS, "…");
  const isPart = end.state !== "done";
  const head = [
    `The sub-agent ${nameOf(spawn)} has ${end.stays ? "ended a run" : "ended"}: ${stateText(end)}; ${statsText(end)}.`,
    ...(end.stays ? [STAYS] : []),
    "Its task:",
    quoteLines(cutText(spawn.task, MAX_TASK_CHARS, "…")),
  ];
  const guidance = isEvent ? [] : [isNested ? NESTED : GUIDANCE];
  if (spawn.state === "idle") return { text: head.join("\n"), untrusted: [] };
  if (result === "") return { text: [...head, "It gave no result.", ...guidance].join("\n"), untrusted: [] };
  if (end.isTainted) {
    const source = `the sub-agent ${nameOf(spawn)}${isPart ? ", interrupted" : ""}`;
    return {
      text: [...head, "Its answer is attached as an untrusted block.", ...guidance].join("\n"),
      untrusted: [{ source, text: result }],
    };
  }
  const label = isPart ? "Its partial answer:" : "Its result:";
  return { text: [...head, label, quoteLines(result), ...guidance].join("\n"), untrusted: [] };
}

/** The same for people, where the conversation that asked is gone; `blocks` if it has a result. */
export function plainReport(spawn: Pick<SpawnRecord, "id" | "label" | "state" | "reason" | "result">): PlainReport {
  const { state, reason, result = "" } = spawn;
  const head =
    state === "idle"
      ? `The sub-agent ${nameOf(spawn)} has answered${reason === undefined ? "" : ` (${reason})`}.`
      : `The sub-agent ${nameOf(spawn)} has ended: ${stateText({ state, reason })}.`;
  const said = cutText(result.trim(), MAX_RESULT_CHARS, "…");
  if (said === "") return { text: head };
  return {
    text: `${head}\n\n${said}`,
    blocks: [
      { type: "text", text: head },
      { type: "quote", text: said },
    ],
  };
}

const GUIDANCE =
  "Continue the work that it was for, and tell the user what matters in your own words. If no one needs to know, answer only ANNOUNCE_SKIP.";
const STAYS = 'It stays open: subagents {"action": "steer"} asks it something further, and "kill" ends it.';
const NESTED = "Use it to continue your own task.";

function stateText({ state, reason }: { readonly state: SpawnRecord["state"]; readonly reason?: string | undefined }): string {
  return reason === undefined ? state : `${state} (${reason})`;
}

function statsText({ durationMs, tokens, costUsd }: ReportedEnd): string {
  const parts = [
    `${Math.round(durationMs / 1000)} s`,
    plural(tokens, "token"),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
  ];
  return parts.join(", ");
}
