import { Buffer } from "node:buffer";
import { plural } from "@factotum/agent-contract";
import type { Card } from "@factotum/channel-contract";
import { APPROVAL_DECISIONS } from "@factotum/protocol";
import type { ApprovalDecision, ApprovalRecord, NoticeBlock, TurnRecord } from "@factotum/store";

/** How a request is shown. */
interface RequestStyle {
  /** Until it ends. */
  readonly minutes: number;
  /** False where a code block looks like other text. */
  readonly codeBlocks?: boolean;
}

/** The request to the owner: the whole action, why it is asked about, and how to answer. */
export function requestText(approval: ApprovalRecord, { minutes, codeBlocks = true }: RequestStyle): string {
  const { id, toolName, text, reason, askedIn } = approval;
  const [first = "", ...others] = decisionsOn(approval);
  const last = others.pop() ?? "";
  const instead = others.length === 0 ? last : `${others.join(", ")} or ${last}`;
  return [
    `I want to use ${toolName} and wait for your decision:`,
    codeBlocks ? fenced(text) : fenced(barred(visible(text))),
    ...(askedIn === undefined ? [] : [askedIn]),
    reason,
    `Reply with: /approve ${id} ${first}, or instead ${instead}. The request ends after ${plural(minutes, "minute")}.`,
  ].join("\n\n");
}

/** The same for clients that show by themselves until when it waits, and how to decide. It stays true after the decision. */
export function requestBlocks({ toolName, text, reason, askedIn }: ApprovalRecord): readonly NoticeBlock[] {
  return [
    { type: "text", text: `I want to use ${toolName}, which needs your decision:` },
    { type: "quote", text: fenced(text) },
    ...(askedIn === undefined ? [] : [{ type: "text", text: askedIn } as const]),
    { type: "text", text: reason },
  ];
}

/** Longest line of a call that `/approve` alone lists whole, in characters. */
const MAX_LISTED_CHARS = 200;

/** One waiting call in a list: whole if it is short, otherwise its beginning, which says that it is not all. */
export function listedCall({ id, toolName, text, askedIn }: ApprovalRecord): string {
  const [first = "", ...more] = text.split("\n");
  const characters = Array.from(first);
  const isWhole = more.length === 0 && characters.length <= MAX_LISTED_CHARS;
  const shown = codeSpan(characters.slice(0, MAX_LISTED_CHARS).join(""));
  const lines = more.length === 0 ? "" : ` of ${plural(more.length + 1, "line")}`;
  const rest = isWhole ? "" : ` … this is only its beginning${lines}: /approve ${id} shows all of it.`;
  return `${id}: ${toolName}, ${shown}${rest}${askedIn === undefined ? "" : ` ${askedIn}`}`;
}

/** One waiting call in a list that others read: what it is is for the owner alone. */
export function listedInShared({ id, toolName }: ApprovalRecord): string {
  return `${id}: ${toolName}. /approve alone shows it in our direct conversation.`;
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
export const ONCE_ONLY = "This call is decided on each time, by itself: allow-once or deny.";

/** What ends requests that are made because of text of others, for the conversation where they come up. A sub-agent keeps the mark of its start. */
export function taintAdvice({ kind, origin: { conversation } }: Pick<TurnRecord, "kind" | "origin">): string {
  const covers = "allow-session and allow-always cover exactly this action and no other";
  if (kind === "subagent") return `${covers}. /trust does not end the requests of a sub-agent that works already.`;
  const trust = conversation.kind === "direct" ? "/trust here" : "/trust session there";
  return `${covers}; if you have checked that text and trust it, ${trust} ends these requests.`;
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
const DECIDED: Readonly<Record<ApprovalDecision, string>> = {
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
const RUNS_NOW = "I had gone on without it: it runs now, and I go on from its result.";

/** What a decision that was made does. */
export function decidedText({ state, decision = "deny" }: Pick<ApprovalRecord, "state" | "decision">): string {
  return [DECIDED[decision], ...(state === "running" ? [RUNS_NOW] : [])].join(" ");
}

/** A code block that the text cannot end, with characters that reorder or hide text written as their codes. */
function fenced(text: string): string {
  const shown = visible(text);
  const fence = "`".repeat(Math.max(2, longestRun(shown)) + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** Longest piece of a line with a mark, in bytes: with its mark it fits into one line of every chat. */
const MAX_BARRED_BYTES = 300;

/** The text with a mark before each line. Long lines are broken here, so that no chat breaks one into a line without a mark. */
function barred(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const pieces = [""];
      for (const character of line) {
        const last = pieces.at(-1) ?? "";
        if (Buffer.byteLength(last + character) > MAX_BARRED_BYTES) pieces.push(character);
        else pieces[pieces.length - 1] = last + character;
      }
      return pieces.map((piece, index) => `${index === 0 ? "| " : "|… "}${piece}`);
    })
    .join("\n");
}

/** One line as code, for text that others may have chosen. */
export function codeSpan(line: string): string {
  const shown = visible(line);
  const mark = "`".repeat(longestRun(shown) + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${mark}${space}${shown}${space}${mark}`;
}

/** A text with the characters that reorder or hide text as their codes: others may have chosen them. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** The same in the conversation of a sub-agent. */
export const ASKED_ABOVE = "This needs your decision. I have asked in the conversation that started the task.";
