import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import type { EffectivePromptFacts, HistoryFacts } from "./effective-prompt-facts.ts";
import { sanitizeName } from "./sanitize.ts";

/** One block of words that are not ours. */
export interface UntrustedBlock {
  readonly title: string;
  readonly value: JsonValue;
}

const MAX_PARTICIPANTS = 50;

/** What was said in the thread before; stands above the system events. */
export function threadHistoryBlock({ threadHistory }: EffectivePromptFacts): readonly UntrustedBlock[] {
  return historyBlock("Thread history - for context", threadHistory);
}

/** The blocks between the session hint and the body, in order. Empty fields and empty blocks are left out. */
export function contextBlocks(facts: EffectivePromptFacts): readonly UntrustedBlock[] {
  const { conversation, sender, replied, threadStarter, forwarded } = facts;
  const participants = conversation?.participants;
  return [
    ...fieldsBlock("Conversation info", {
      chat_id: name(conversation?.chatId),
      sender_id: name(conversation?.senderId),
      sender: name(conversation?.sender),
      group_subject: name(conversation?.groupSubject),
      topic: name(conversation?.topic),
      participants: participants === undefined ? undefined : names(participants),
    }),
    ...fieldsBlock("Sender", {
      label: name(sender?.label),
      id: name(sender?.id),
      name: name(sender?.name),
      username: name(sender?.username),
    }),
    ...(replied === undefined
      ? []
      : fieldsBlock("Replied message", { sender_label: name(replied.senderLabel), is_quote: replied.isQuote, body: replied.body })),
    ...(threadStarter === undefined ? [] : fieldsBlock("Thread starter", { body: threadStarter.body })),
    ...historyBlock("Chat history since the last reply", facts.chatHistory),
    ...(forwarded === undefined
      ? []
      : fieldsBlock("Forwarded", { from: name(forwarded.from), title: name(forwarded.title), body: forwarded.body })),
  ];
}

/** What came with the message and is neither its body nor a quote; stands below the body. */
export function suffixBlocks({ untrustedNotes }: EffectivePromptFacts): readonly UntrustedBlock[] {
  if (untrustedNotes.length === 0) return [];
  return [{ title: "Further context", value: untrustedNotes.map(({ source, text }) => ({ source: sanitizeName(source), text })) }];
}

function fieldsBlock(title: string, fields: JsonObject): readonly UntrustedBlock[] {
  return Object.values(fields).every((value) => value === undefined) ? [] : [{ title, value: fields }];
}

function historyBlock(title: string, history: readonly HistoryFacts[] = []): readonly UntrustedBlock[] {
  if (history.length === 0) return [];
  return [
    { title, value: history.map(({ sender, timestampMs, body }) => ({ sender: sanitizeName(sender), timestamp_ms: timestampMs, body })) },
  ];
}

function name(text: string | undefined): string | undefined {
  const clean = sanitizeName(text ?? "");
  return clean === "" ? undefined : clean;
}

function names(participants: readonly string[]): readonly string[] {
  const shown = participants.slice(0, MAX_PARTICIPANTS).map(sanitizeName);
  const more = participants.length - shown.length;
  return more === 0 ? shown : [...shown, `… and ${more} more`];
}
