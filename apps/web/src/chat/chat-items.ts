import type { ChatEntry, ChatToolCall, LiveRun } from "@factotum/protocol";
import { liveRowId, type RowIds } from "./chat-state.ts";
import { planOf } from "./plan-of.ts";

/** `waiting`: requested and not started. `stopped`: ended because the run was stopped. `unfinished`: requested in a run that is over, without a result. */
export type ToolStatus = "waiting" | "running" | "done" | "failed" | "stopped" | "unfinished";

/** A tool call with its result. */
export interface ToolItem {
  readonly type: "tool";
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly status: ToolStatus;
  readonly output: string;
}

/** One row of a conversation. */
export type ChatItem =
  | Extract<ChatEntry, { type: "user" | "notice" }>
  | { readonly type: "thinking"; readonly id: string; readonly text: string; readonly live: boolean }
  | {
      readonly type: "answer";
      readonly id: string;
      readonly text: string;
      readonly live: boolean;
      readonly timestampMs?: number;
      /** Its message in the conversation; absent while it is written. */
      readonly entryId?: string;
      /** Of the end of a turn: its entry, and the message that it answers. */
      readonly place?: { readonly entryId: string; readonly askedId: string; readonly asked: string };
    }
  | { readonly type: "answer-end"; readonly id: string; readonly reason: "length" | "aborted" | "error"; readonly message?: string }
  | SpawnsItem
  | ToolItem;

/** The sub-agents that a turn has started, by the calls that started them. */
export interface SpawnsItem {
  readonly type: "spawns";
  readonly id: string;
  readonly calls: readonly SpawnCall[];
}

/** A call that has started a sub-agent. */
export interface SpawnCall {
  readonly runId: string;
  readonly call: ToolItem;
}

/** Arranges a conversation: each call with its result, and the unfinished answer at the end. */
export function toChatItems(entries: readonly ChatEntry[], live: LiveRun | undefined, rows?: RowIds): readonly ChatItem[] {
  return [...toCommittedItems(entries, live?.tools, rows), ...toLiveItems(live, rows)];
}

/**
 * The rows of committed entries and of a run's tools (`undefined` if nothing runs). An unchanged row is the same object as before, so that it is not rendered
 * again.
 */
export function toCommittedItems(entries: readonly ChatEntry[], tools: LiveRun["tools"] | undefined, rows?: RowIds): readonly ChatItem[] {
  const results = new Map<string, Extract<ChatEntry, { type: "tool-result" }>>();
  for (const entry of entries) if (entry.type === "tool-result") results.set(entry.callId, entry);
  const running = new Map((tools ?? []).map((tool) => [tool.id, tool]));
  const shown = new Set<string>();
  const lastAssistant = entries.findLast((entry) => entry.type === "assistant")?.id;

  const toTool = (call: ChatToolCall, mayStillRun: boolean): ToolItem => {
    shown.add(call.id);
    const base = { type: "tool", id: call.id, name: call.name, argumentsText: call.argumentsText } as const;
    const result = results.get(call.id);
    if (result !== undefined) return { ...base, status: statusOf(result), output: result.text };
    const tool = running.get(call.id);
    if (tool !== undefined) return { ...base, status: "running", output: tool.output };
    return { ...base, status: mayStillRun ? "waiting" : "unfinished", output: "" };
  };

  const items: ChatItem[] = [];
  let asked: Question | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.type === "user" && entry.isAside !== true) asked = entry;
    if (entry.type === "user" || entry.type === "notice") items.push(entry);
    else if (entry.type === "assistant") {
      items.push(...reuseAnswer(entry, { id: rows?.get(entry.id) ?? entry.id, isEndTold: isEndTold(entry, entries, index + 1), asked }));
      for (const call of entry.toolCalls) items.push(reuseTool(call, toTool(call, tools !== undefined && entry.id === lastAssistant)));
    } else if (!shown.has(entry.callId)) {
      // The message with the call is on an older page.
      items.push(reuseTool(entry, toTool({ id: entry.callId, name: entry.name, argumentsText: "" }, false)));
    }
  }
  for (const tool of running.values()) if (!shown.has(tool.id)) items.push(reuseTool(tool, toTool(tool, true)));
  return withoutOldPlans(items);
}

/** The rows of a conversation without the plans that a later one of the same turn replaces. */
export function withoutOldPlans(items: readonly ChatItem[]): readonly ChatItem[] {
  let isReplaced = false;
  const kept = items.toReversed().filter((item) => {
    if (item.type === "user") isReplaced = false;
    if (item.type !== "tool" || planOf(item) === undefined) return true;
    const isShown = !isReplaced;
    isReplaced = true;
    return isShown;
  });
  return kept.length === items.length ? items : kept.toReversed();
}

function statusOf({ isError, isStopped }: Extract<ChatEntry, { type: "tool-result" }>): ToolStatus {
  if (isStopped === true) return "stopped";
  return isError ? "failed" : "done";
}

/** The rows of the unfinished answer. The first text and the first thinking block become those of the committed answer, with the same ids. */
export function toLiveItems(live: LiveRun | undefined, rows?: RowIds): readonly ChatItem[] {
  if (live === undefined) return [];
  const id = liveRowId(live.runId, rows);
  const used = new Set<string>();
  return live.blocks.flatMap((block, index): ChatItem[] => {
    if (block.text === "") return [];
    const first = block.type === "text" ? id : thinkingRowId(id);
    const own = used.has(first) ? `${first}-${index}` : first;
    used.add(own);
    return [{ type: block.type === "text" ? "answer" : "thinking", id: own, text: block.text, live: true }];
  });
}

function thinkingRowId(answerId: string): string {
  return `${answerId}-thinking`;
}

/** The parts of an answer's rows besides its entry. */
interface AnswerPlace {
  readonly id: string;
  /** The gateway reports how it ended. */
  readonly isEndTold: boolean;
  readonly asked: Question | undefined;
}

/** The message that an answer belongs to. */
type Question = Extract<ChatEntry, { type: "user" }>;

const answerRows = new WeakMap<ChatEntry, AnswerPlace & { readonly items: readonly ChatItem[] }>();
const toolRows = new WeakMap<object, ToolItem>();

function reuseAnswer(entry: Extract<ChatEntry, { type: "assistant" }>, place: AnswerPlace): readonly ChatItem[] {
  const known = answerRows.get(entry);
  if (known?.isEndTold === place.isEndTold && known.id === place.id && known.asked?.id === place.asked?.id) return known.items;
  const items = toAnswerItems(entry, place);
  answerRows.set(entry, { ...place, items });
  return items;
}

/** `source`: the object that the row was created from, a call or the known part of it. */
function reuseTool(source: object, item: ToolItem): ToolItem {
  const known = toolRows.get(source);
  if (known?.status === item.status && known.output === item.output) return known;
  toolRows.set(source, item);
  return item;
}

/** True if a notice of the gateway in the same run already says how an answer ended. */
function isEndTold({ stopReason }: Extract<ChatEntry, { type: "assistant" }>, entries: readonly ChatEntry[], nextIndex: number): boolean {
  if (stopReason !== "error" && stopReason !== "aborted") return false;
  const levels = stopReason === "error" ? ["error", "warning"] : ["info"];
  const later = entries.slice(nextIndex);
  const next = later.findIndex((entry) => entry.type === "user" || entry.type === "assistant");
  return later.slice(0, next === -1 ? later.length : next).some((entry) => entry.type === "notice" && levels.includes(entry.level));
}

function toAnswerItems(entry: Extract<ChatEntry, { type: "assistant" }>, { id, isEndTold, asked }: AnswerPlace): readonly ChatItem[] {
  const items: ChatItem[] = [];
  const { text, thinking, toolCalls, stopReason, errorMessage } = entry;
  // Intermediate steps need no time of their own.
  const time = toolCalls.length === 0 ? { timestampMs: entry.timestampMs } : {};
  const place = asked === undefined || toolCalls.length > 0 ? {} : { place: { entryId: entry.id, askedId: asked.id, asked: asked.text } };
  if (thinking !== undefined && thinking !== "") items.push({ type: "thinking", id: thinkingRowId(id), text: thinking, live: false });
  if (text !== "") items.push({ type: "answer", id, text, live: false, entryId: entry.id, ...time, ...place });
  if (!isEndTold && (stopReason === "length" || stopReason === "aborted" || stopReason === "error")) {
    items.push({
      type: "answer-end",
      id: `${id}-end`,
      reason: stopReason,
      ...(errorMessage !== undefined && { message: errorMessage }),
    });
  }
  return items;
}
