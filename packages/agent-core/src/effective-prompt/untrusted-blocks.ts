import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import type { EffectivePromptFacts, HistoryFacts } from "./effective-prompt-facts.ts";
import { cutText } from "../text/cut-text.ts";
import { sanitizeName } from "./sanitize.ts";

/** A block of text from others. */
export interface UntrustedBlock {
  readonly id: string;
  readonly title: string;
  readonly value: JsonValue;
}

const MAX_PARTICIPANTS = 50;
/** Characters shown of one day's notes. */
export const MAX_NOTE_CHARS = 1_200;

/** Earlier messages of the thread, above the system events. */
export function threadHistoryBlock({ threadHistory }: EffectivePromptFacts): readonly UntrustedBlock[] {
  return historyBlock("thread-history", "Thread history - for context", threadHistory);
}

/** The blocks between the session hint and the body, in order. Empty fields and blocks are omitted. */
export function contextBlocks(facts: EffectivePromptFacts): readonly UntrustedBlock[] {
  const { conversation, sender, replied, threadStarter, forwarded, payload } = facts;
  const participants = conversation?.participants;
  return [
    ...fieldsBlock("conversation", "Conversation info", {
      chat_id: name(conversation?.chatId),
      sender_id: name(conversation?.senderId),
      sender: name(conversation?.sender),
      group_subject: name(conversation?.groupSubject),
      topic: name(conversation?.topic),
      participants: participants === undefined ? undefined : names(participants),
    }),
    ...fieldsBlock("sender", "Sender", {
      label: name(sender?.label),
      id: name(sender?.id),
      name: name(sender?.name),
      username: name(sender?.username),
    }),
    ...(replied === undefined
      ? []
      : fieldsBlock("replied", "Replied message", {
          sender_label: name(replied.senderLabel),
          is_quote: replied.isQuote,
          body: replied.body,
        })),
    ...(threadStarter === undefined ? [] : fieldsBlock("thread-starter", "Thread starter", { body: threadStarter.body })),
    ...historyBlock("chat-history", "Chat history since the last reply", facts.chatHistory),
    ...(forwarded === undefined
      ? []
      : fieldsBlock("forwarded", "Forwarded", { from: name(forwarded.from), title: name(forwarded.title), body: forwarded.body })),
    ...dailyNotesBlock(facts),
    ...(payload === undefined ? [] : fieldsBlock("payload", "Webhook payload", { source: name(payload.source), body: payload.body })),
  ];
}

/** Context that came with the message apart from its body and quotes; below the body. */
export function suffixBlocks({ untrustedNotes }: EffectivePromptFacts): readonly UntrustedBlock[] {
  if (untrustedNotes.length === 0) return [];
  return [
    { id: "suffix", title: "Further context", value: untrustedNotes.map(({ source, text }) => ({ source: sanitizeName(source), text })) },
  ];
}

function dailyNotesBlock({ dailyNotes = [] }: EffectivePromptFacts): readonly UntrustedBlock[] {
  const notes = dailyNotes.map(({ path, text, untrustedText = "" }) => ({ path, text: text.trim(), untrusted: untrustedText.trim() }));
  const value = notes.flatMap(({ path, text, untrusted }) =>
    text === "" && untrusted === ""
      ? []
      : [
          {
            path: sanitizeName(path),
            ...(text === "" ? {} : { text: cutText(text.toWellFormed(), MAX_NOTE_CHARS, "…") }),
            ...(untrusted === "" ? {} : { untrusted_text: cutText(untrusted.toWellFormed(), MAX_NOTE_CHARS, "…") }),
          },
        ],
  );
  if (value.length === 0) return [];
  return [{ id: "daily-notes", title: "Daily notes", value }];
}

function fieldsBlock(id: string, title: string, fields: JsonObject): readonly UntrustedBlock[] {
  return Object.values(fields).every((value) => value === undefined) ? [] : [{ id, title, value: fields }];
}

function historyBlock(id: string, title: string, history: readonly HistoryFacts[] = []): readonly UntrustedBlock[] {
  if (history.length === 0) return [];
  return [
    {
      id,
      title,
      value: history.map(({ sender, timestampMs, body }) => ({ sender: sanitizeName(sender), timestamp_ms: timestampMs, body })),
    },
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
