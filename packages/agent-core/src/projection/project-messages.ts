import type { AgentMessage, AssistantMessage, ToolCallContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";

const NO_RESULT =
  "No result of this call was kept: the run ended before it was recorded. It may have taken effect; look before doing it again.";
const NO_OUTPUT = "(no output)";

/** What goes to the model in place of one stored message. */
type Entry =
  | { readonly type: "user"; readonly message: UserMessage }
  | { readonly type: "answer"; readonly message: AssistantMessage; readonly slots: Slot[] };

/** The place right behind a call, for its one result. */
interface Slot {
  readonly call: ToolCallContent;
  readonly timestamp: number;
  result?: ToolResultMessage;
}

/**
 * The neutral repair of a history: whatever is stored, what comes out has a shape that can be sent (design 03 §2, R8).
 *
 * - It begins with a user message.
 * - Each tool call is directly followed by its one result: late ones are moved up, a missing one is made up as an error that says why,
 *   further ones and those without a call are dropped. Ids that were used before get a suffix.
 * - Blank text and messages without anything to say are dropped. An answer that was broken off (`error`, `aborted`) keeps its text, not
 *   its thoughts and calls.
 *
 * Pure and total. Messages that need no repair come back as the same objects. What is appended to a sound history changes nothing before
 * it, so a projected request begins with the one before it.
 */
export function projectMessages(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  const entries: Entry[] = [];
  const open = new Map<string, Slot[]>();
  const used = new Map<string, number>();
  for (const message of messages) {
    switch (message.role) {
      case "user":
        entries.push(...userEntry(message));
        break;
      case "assistant":
        if (entries.length > 0) entries.push(...answerEntry(message, open, used));
        break;
      case "toolResult":
        fillSlot(message, open);
        break;
      default:
        message satisfies never;
    }
  }
  return entries.flatMap((entry): readonly AgentMessage[] =>
    entry.type === "user" ? [entry.message] : [entry.message, ...entry.slots.map(resultOf)],
  );
}

function userEntry(message: UserMessage): readonly Entry[] {
  const content = withoutBlankText(message.content);
  if (content.length === 0) return [];
  return [{ type: "user", message: content === message.content ? message : { ...message, content } }];
}

function answerEntry(message: AssistantMessage, open: Map<string, Slot[]>, used: Map<string, number>): readonly Entry[] {
  const whole = message.stopReason !== "error" && message.stopReason !== "aborted";
  const slots: Slot[] = [];
  const originals: string[] = [];
  const content = message.content.flatMap((block): AssistantMessage["content"] => {
    switch (block.type) {
      case "text":
        return isBlank(block.text) ? [] : [block];
      case "thinking":
        return whole && (block.signature !== undefined || !isBlank(block.text)) ? [block] : [];
      case "toolCall": {
        if (!whole) return [];
        const call = withFreshId(block, used);
        slots.push({ call, timestamp: message.timestamp });
        originals.push(block.id);
        return [call];
      }
      default:
        return block satisfies never;
    }
  });
  // An id that is used again closes the earlier calls of that id: results from here on are for the new ones.
  for (const id of originals) open.set(id, []);
  for (const [index, slot] of slots.entries()) open.get(originals[index] ?? "")?.push(slot);
  if (!content.some((block) => block.type !== "thinking")) return [];
  const same = content.length === message.content.length && content.every((block, index) => block === message.content[index]);
  return [{ type: "answer", message: same ? message : { ...message, content }, slots }];
}

/** `used` holds each id with the suffix that its next use would try, so that ids a provider counts anew each time stay cheap. */
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

/** The same array when there is none. */
function withoutBlankText<T extends { readonly type: string; readonly text?: string }>(content: readonly T[]): readonly T[] {
  const kept = content.filter((part) => part.type !== "text" || !isBlank(part.text ?? ""));
  return kept.length === content.length ? content : kept;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
