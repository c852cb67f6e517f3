import { EXTERNAL_PROVIDER } from "@factotum/agent-contract";
import type { AgentMessage, AssistantMessage, ModelInfo, ToolCallContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { asSent } from "./deferred-calls.ts";

const NO_RESULT =
  "No result of this call was kept: the run ended before it was recorded. It may have taken effect; look before doing it again.";
const NO_OUTPUT = "(no output)";

/** The projection of one stored message. */
type Entry =
  | { readonly type: "user"; readonly message: UserMessage }
  | { readonly type: "answer"; readonly message: AssistantMessage; readonly slots: Slot[] };

/** The position right behind a call, for its one result. */
interface Slot {
  readonly call: ToolCallContent;
  readonly timestamp: number;
  result?: ToolResultMessage;
}

/**
 * Repairs a history independently of the provider, so that any stored history becomes a valid request (R8).
 *
 * - It begins with a user message.
 * - Each tool call is directly followed by its one result: late ones are moved up, a missing one is substituted by an error that says why, duplicates and those
 * without a call are dropped. Reused ids get a suffix.
 * - A call of a deferred tool is a `tool_call` again, as the model wrote it.
 * - Calls that an external agent has made itself are dropped with their results: a model of a provider would take them for its own. External agents get them.
 * - Blank text and empty messages are dropped. An answer that broke off (`error`, `aborted`) keeps its text, not its thinking and calls. For an external agent
 * its thinking stays, too: what comes before it was given to the agent.
 *
 * Pure and total. Unchanged messages are returned as the same objects. Appending to a valid history changes nothing before, so a projected request begins with
 * the previous one.
 */
export function projectMessages(
  messages: readonly AgentMessage[],
  { provider }: Partial<Pick<ModelInfo, "provider">> = {},
): readonly AgentMessage[] {
  const keepsExternal = provider === EXTERNAL_PROVIDER;
  const entries: Entry[] = [];
  const open = new Map<string, Slot[]>();
  const used = new Map<string, number>();
  for (const message of messages) {
    switch (message.role) {
      case "user":
        addUser(message, entries);
        break;
      case "assistant":
        if (entries.length > 0) addAnswer(message, entries, { open, used, keepsExternal });
        break;
      case "toolResult":
        fillSlot(message, open);
        break;
      default:
        message satisfies never;
    }
  }
  const projected: AgentMessage[] = [];
  for (const entry of entries) {
    projected.push(entry.message);
    if (entry.type === "answer") for (const slot of entry.slots) projected.push(resultOf(slot));
  }
  return projected;
}

function addUser(message: UserMessage, entries: Entry[]): void {
  const content = withoutBlankText(message.content);
  if (content.length > 0) entries.push({ type: "user", message: content === message.content ? message : { ...message, content } });
}

function addAnswer(
  message: AssistantMessage,
  entries: Entry[],
  {
    open,
    used,
    keepsExternal,
  }: { readonly open: Map<string, Slot[]>; readonly used: Map<string, number>; readonly keepsExternal: boolean },
): void {
  const whole = message.stopReason !== "error" && message.stopReason !== "aborted";
  const slots: Slot[] = [];
  const originals: string[] = [];
  const content: AssistantMessage["content"][number][] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isBlank(block.text)) content.push(block);
        break;
      case "thinking":
        if ((whole || keepsExternal) && (block.signature !== undefined || !isBlank(block.text))) content.push(block);
        break;
      case "toolCall": {
        if (!whole || (block.external === true && !keepsExternal)) break;
        const call = asSent(withFreshId(block, used));
        slots.push({ call, timestamp: message.timestamp });
        originals.push(block.id);
        content.push(call);
        break;
      }
      default:
        block satisfies never;
    }
  }
  // A reused id closes the earlier calls with that id: later results belong to the new ones.
  for (const id of originals) open.set(id, []);
  for (const [index, slot] of slots.entries()) open.get(originals[index] ?? "")?.push(slot);
  const isAnswer = keepsExternal ? content.length > 0 : content.some((block) => block.type !== "thinking");
  if (!isAnswer) return;
  const same = content.length === message.content.length && content.every((block, index) => block === message.content[index]);
  entries.push({ type: "answer", message: same ? message : { ...message, content }, slots });
}

/** `used` maps each id to the next suffix to try, which keeps ids cheap that a provider repeats in every answer. */
function withFreshId(call: ToolCallContent, used: Map<string, number>): ToolCallContent {
  let suffix = used.get(call.id);
  if (suffix === undefined) {
    used.set(call.id, 2);
    return call;
  }
  while (used.has(`${call.id}_${suffix}`)) suffix++;
  const id = `${call.id}_${suffix}`;
  used.set(call.id, suffix + 1);
  used.set(id, 2);
  return { ...call, id };
}

function fillSlot(message: ToolResultMessage, open: Map<string, Slot[]>): void {
  const slot = open.get(message.toolCallId)?.shift();
  if (slot !== undefined) slot.result = message;
}

function resultOf({ call, timestamp, result }: Slot): ToolResultMessage {
  const named = { role: "toolResult", toolCallId: call.id, toolName: call.name } as const;
  if (result === undefined) return { ...named, content: [{ type: "text", text: NO_RESULT }], isError: true, timestamp };
  const kept = withoutBlankText(result.content);
  const content = kept.length > 0 ? kept : [{ type: "text", text: NO_OUTPUT } as const];
  const same = content === result.content && result.toolCallId === call.id && result.toolName === call.name;
  return same ? result : { ...result, ...named, content };
}

/** Returns the same array if nothing was removed. */
function withoutBlankText<T extends { readonly type: string; readonly text?: string }>(content: readonly T[]): readonly T[] {
  const isKept = (part: T): boolean => part.type !== "text" || !isBlank(part.text ?? "");
  return content.every(isKept) ? content : content.filter(isKept);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
