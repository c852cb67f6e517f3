import type { AgentMessage, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { projectMessages } from "../projection/project-messages.ts";

/** The result of a quarantine. */
export interface Quarantine {
  /** The whole history, with the same length as before. */
  readonly messages: readonly AgentMessage[];
  /** The replacements by index; store these instead of the originals. Never empty. */
  readonly replaced: readonly { readonly index: number; readonly message: AgentMessage }[];
  readonly item: "image" | "thinking" | "tool-call" | "text";
  /** The provider's error named neither an item nor a position; the most likely item was chosen. */
  readonly isGuess: boolean;
}

type Item = Quarantine["item"];
type Candidate = Omit<Quarantine, "isGuess">;

const REFUSED = "left out: the model's provider refused it";
const MIN_ID_CHARS = 6;

/** Maps words in a provider's error to kinds of items. The order matters: a word about images is more specific than one about tools. */
const WORDS: readonly (readonly [Item, RegExp])[] = [
  ["image", /image|base64|media[_ ]?type|inline_?data|pixel|dimension/i],
  ["thinking", /thinking|signature|reasoning|encrypted_content|bound to a different conversation/i],
  ["tool-call", /tool|function|call_id|arguments/i],
];

/** `messages.3`, `messages[3]`, `contents[3]`, `input[3]`: a position in the provider's own list. */
const PLACE = /\b(?:messages|contents|input)(?:\.|\[|\.\[)(\d+)/;

/**
 * Removes the one history item that a provider most likely rejected (a 400 on replay, R8), so that the session can continue. Looks for a call's id in the
 * provider's error, then for the kind of item that it names, near the position that it names, newest first; without any of these for the newest image, then
 * call, then text. The user's last message is never removed, and every removal changes the request.
 *
 * A removed call leaves its result behind, which the projection drops. So the call at the end of a history is kept, and its result removed instead, because a
 * request must not end with an answer. `undefined`: nothing is left to remove, the request cannot be repaired. Pure.
 */
export function quarantine(messages: readonly AgentMessage[], hint: { readonly message: string }): Quarantine | undefined {
  const before = projectMessages(messages);
  const isGuess =
    !WORDS.some(([, pattern]) => pattern.test(hint.message)) &&
    !PLACE.test(hint.message) &&
    callsNamed(messages, hint.message).length === 0;
  for (const candidate of candidates(messages, hint.message)) {
    const after = projectMessages(candidate.messages);
    if (!isSameRequest(before, after) && isAnswerable(after, before)) return { ...candidate, isGuess };
  }
  return undefined;
}

/** True if it ends with a message that a model can answer, or did not before either. */
function isAnswerable(after: readonly AgentMessage[], before: readonly AgentMessage[]): boolean {
  return after.at(-1)?.role !== "assistant" || before.at(-1)?.role === "assistant";
}

/** Candidates, most likely first. */
function* candidates(messages: readonly AgentMessage[], words: string): Generator<Candidate> {
  for (const { index, callId } of callsNamed(messages, words)) yield* replaceAt(messages, "tool-call", index, callId);
  const named = WORDS.filter(([, pattern]) => pattern.test(words)).map(([item]) => item);
  const near = placeOf(messages, words);
  for (const item of new Set<Item>([...named, "image", "tool-call", "thinking", "text"])) yield* itemsOf(messages, item, near);
}

function isSameRequest(left: readonly AgentMessage[], right: readonly AgentMessage[]): boolean {
  if (left.length !== right.length) return false;
  return left.every(
    (message, index) => message === right[index] || JSON.stringify(message.content) === JSON.stringify(right[index]?.content),
  );
}

interface NamedCall {
  readonly index: number;
  readonly callId: string;
}

function callsNamed(messages: readonly AgentMessage[], words: string): readonly NamedCall[] {
  return messages.flatMap((message, index) => {
    const blocks = message.role === "assistant" ? message.content : [];
    return blocks.flatMap((block) =>
      block.type === "toolCall" && block.id.length >= MIN_ID_CHARS && words.includes(block.id) ? [{ index, callId: block.id }] : [],
    );
  });
}

/** Messages at the named position. Most formats merge the user's and the tools' messages between two answers into one; the others are close. */
function placeOf(messages: readonly AgentMessage[], words: string): readonly number[] {
  const place = Number(PLACE.exec(words)?.[1] ?? Number.NaN);
  if (Number.isNaN(place)) return [];
  let group = -1;
  let side: string | undefined;
  return messages.flatMap(({ role }, index) => {
    const nextSide = role === "assistant" ? "model" : "user";
    if (nextSide !== side) group++;
    side = nextSide;
    return group === place ? [index] : [];
  });
}

/** The candidates of one kind, near the named position first, otherwise newest first. */
function* itemsOf(messages: readonly AgentMessage[], item: Item, near: readonly number[]): Generator<Candidate> {
  if (item === "thinking") {
    yield* withoutThinking(messages);
    return;
  }
  const lastWords = messages.findLastIndex(({ role }) => role === "user");
  for (const index of [...near.toReversed(), ...messages.keys().toArray().toReversed()]) {
    const message = messages[index];
    if (message === undefined) continue;
    const call = item === "tool-call" ? callOf(messages, index) : undefined;
    if (call !== undefined) yield* replaceAt(messages, item, call.index, call.callId);
    if (item === "image" && message.content.some(({ type }) => type === "image")) yield* replaceAt(messages, item, index);
    if (item === "text" && index !== lastWords && hasText(message)) yield* replaceAt(messages, item, index);
  }
}

/** The last call of an answer, or the call of a result. */
function callOf(messages: readonly AgentMessage[], index: number): NamedCall | undefined {
  const message = messages[index];
  if (message?.role === "toolResult") {
    const owner = messages.findLastIndex(
      (one, place) =>
        place < index &&
        one.role === "assistant" &&
        one.content.some((block) => block.type === "toolCall" && block.id === message.toolCallId),
    );
    return owner === -1 ? undefined : { index: owner, callId: message.toolCallId };
  }
  const call = message?.role === "assistant" ? message.content.findLast((block) => block.type === "toolCall") : undefined;
  return call?.type === "toolCall" ? { index, callId: call.id } : undefined;
}

function hasText(message: AgentMessage): boolean {
  return message.content.some((block) => block.type === "text" && block.text.trim() !== "" && !block.text.endsWith(`${REFUSED}]`));
}

/** A signature covers all thinking blocks and providers do not say which one failed, so all are removed. */
function withoutThinking(messages: readonly AgentMessage[]): readonly Candidate[] {
  const replaced = messages.flatMap((message, index) =>
    message.role === "assistant" && message.content.some(({ type }) => type === "thinking")
      ? [{ index, message: { ...message, content: message.content.filter(({ type }) => type !== "thinking") } }]
      : [],
  );
  return replaced.length === 0 ? [] : [{ messages: withReplaced(messages, replaced), replaced, item: "thinking" }];
}

function replaceAt(messages: readonly AgentMessage[], item: Item, index: number, callId?: string): readonly Candidate[] {
  const message = messages[index];
  if (message === undefined) return [];
  const replaced = [{ index, message: without(message, item, callId) }];
  return [{ messages: withReplaced(messages, replaced), replaced, item }];
}

function withReplaced(messages: readonly AgentMessage[], replaced: Quarantine["replaced"]): readonly AgentMessage[] {
  return replaced.reduce((all, { index, message }) => all.with(index, message), messages);
}

function without(message: AgentMessage, item: Item, callId: string | undefined): AgentMessage {
  if (message.role === "assistant") {
    const content = message.content.map((block) => {
      if (block.type === "toolCall" && block.id === callId) return { type: "text", text: placeholder(`call of ${block.name}`) } as const;
      return block.type === "text" && item === "text" ? ({ type: "text", text: placeholder("message") } as const) : block;
    });
    return { ...message, content };
  }
  return { ...message, content: inputWithout(message, item) };
}

function inputWithout({ content }: UserMessage | ToolResultMessage, item: Item): UserMessage["content"] {
  return content.map((block) => {
    if (block.type === "image") return item === "image" ? { type: "text", text: placeholder("image") } : block;
    return item === "text" ? { type: "text", text: placeholder("message") } : block;
  });
}

function placeholder(what: string): string {
  return `[${what} ${REFUSED}]`;
}
