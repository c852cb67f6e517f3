import { plural } from "@factotum/agent-contract";
import type { Card, Origin } from "@factotum/channel-contract";
import { APPROVAL_DECISIONS } from "@factotum/protocol";
import type { ApprovalDecision, ApprovalRecord } from "@factotum/store";

/** The request to the owner: the whole action, why it is asked about, and how to answer. */
export function requestText(approval: ApprovalRecord, minutes: number): string {
  const { id, toolName, text, reason, askedIn } = approval;
  const [first = "", ...others] = decisionsOn(approval);
  const last = others.pop() ?? "";
  const instead = others.length === 0 ? last : `${others.join(", ")} or ${last}`;
  return [
    `I want to use ${toolName} and wait for your decision:`,
    fenced(text),
    ...(askedIn === undefined ? [] : [askedIn]),
    reason,
    `Reply with: /approve ${id} ${first}, or instead ${instead}. The request ends after ${plural(minutes, "minute")}.`,
  ].join("\n\n");
}

/** The same with a button for each decision. Its values are commands, which the model cannot write on buttons (`toCard`). */
export function requestCard(approval: ApprovalRecord, text: string): Card {
  const buttons = decisionsOn(approval).map((decision) => ({
    actionId: decision,
    label: LABELS[decision],
    value: `/approve ${approval.id} ${decision}`,
    style: decision === "deny" ? ("danger" as const) : decision === "allow-once" ? ("primary" as const) : ("default" as const),
  }));
  return { body: text, buttons };
}

/** The decisions that a request offers. */
export function decisionsOn({ onceOnly }: Pick<ApprovalRecord, "onceOnly">): readonly ApprovalDecision[] {
  return onceOnly === true ? ["allow-once", "deny"] : APPROVAL_DECISIONS;
}

/** The answer to another decision on such a request. */
export const ONCE_ONLY = "Each change of the settings is decided on by itself: allow-once or deny.";

/** What ends requests that are made because of text of others, for the conversation where they come up. */
export function taintAdvice({ conversation }: Origin): string {
  const trust = conversation.kind === "direct" ? "/trust here" : "/trust session there";
  return `allow-session and allow-always cover exactly this action and no other; if you have checked that text and trust it, ${trust} ends these requests.`;
}

const LABELS: Readonly<Record<ApprovalDecision, string>> = {
  "allow-once": "Allow once",
  "allow-session": "Allow here",
  "allow-always": "Allow always",
  deny: "Deny",
};

/** The hint in a shared conversation, which does not show the action. */
export const ASKED_ELSEWHERE = "This needs my owner's decision. I have asked in private.";

/** What a decision does, for the owner. */
export const DECIDED: Readonly<Record<ApprovalDecision, string>> = {
  "allow-once": "Allowed once.",
  "allow-session": "Allowed. The same action is not asked about again in this conversation.",
  "allow-always": "Allowed. The same action is not asked about again. Take it back with: factotum approvals revoke",
  deny: "Denied: it is not run.",
};

/** The answer to a decision on a call that no longer waits. */
export function notWaiting(id: string): string {
  return `No call with the id ${id} waits for a decision: it was decided already, or its time ran out. /approve alone lists those that wait.`;
}

/** The answer to an allowed call whose turn went on without it. */
export const RUNS_NOW = "I had gone on without it: it runs now, and I go on from its result.";

/** A code block that the text cannot end, with characters that reorder or hide text written as their codes. */
function fenced(text: string): string {
  const shown = visible(text);
  const fence = "`".repeat(Math.max(2, longestRun(shown)) + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** One line as code, for text that others may have chosen. */
export function codeSpan(line: string): string {
  const shown = visible(line);
  const mark = "`".repeat(longestRun(shown) + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${mark}${space}${shown}${space}${mark}`;
}

/** Characters that reorder or hide text, as their codes. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
