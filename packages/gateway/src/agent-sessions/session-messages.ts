import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, SessionMessage } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { SessionRecord, Store, TranscriptEntry } from "@factotum/store";
import type { SessionCache } from "../context/session-cache.ts";
import { readHistory } from "../context/read-history.ts";
import { historyNotice } from "../run-policy/history-notice.ts";
import { hasMark, isHistoryTainted } from "../taint/taint.ts";

/** UTF-16 units of one message, and of all messages of a page. */
const MAX_MESSAGE_CHARS = 4_000;
const MAX_PAGE_CHARS = 80_000;

/** Entries of the transcript that are read for one page: most of those of a working agent are calls and results. */
const MAX_READ = 1_000;
const READ_AT_ONCE = 100;

/** What reading messages needs. */
export interface SessionMessagesParts {
  readonly store: Pick<Store, "readTranscript" | "readRecentContext">;
  readonly cache: SessionCache;
  /** Replaces every known secret in a text. */
  readonly hideSecrets: (text: string) => string;
}

/** Some of the newest messages of a conversation, oldest first. */
export interface MessagePage {
  readonly messages: readonly SessionMessage[];
  /** Leads to older ones. */
  readonly cursor?: string;
  /** Something in it may be text of others (R23). */
  readonly untrusted: boolean;
}

/** Reads messages of the present conversation of a session, for another session: words alone, without thoughts, prefixes and secrets. */
export async function readMessages(
  record: SessionRecord,
  { limit, cursor, includeTools }: { readonly limit: number; readonly cursor?: string | undefined; readonly includeTools: boolean },
  parts: SessionMessagesParts,
): Promise<MessagePage> {
  const { entries, more } = await readEntries(record.sessionId, { limit, cursor, includeTools }, parts);
  const context = await readHistory(record.sessionId, parts);
  const isMarked = hasMark(entries.map(({ message }) => message)) || (await isHistoryTainted(context.messages, record, parts));
  const messages = entries.flatMap(({ message }) => wordsOf(message, { includeTools, isMarked, hideSecrets: parts.hideSecrets }));
  return { messages, untrusted: isMarked, ...withoutUndefined({ cursor: more }) };
}

type MessageEntry = Extract<TranscriptEntry, { readonly type: "message" }>;

/** The newest entries before the cursor that make a page, oldest first; `more` is the oldest of them if there are older ones. */
async function readEntries(
  sessionId: string,
  { limit, cursor, includeTools }: { readonly limit: number; readonly cursor: string | undefined; readonly includeTools: boolean },
  { store }: Pick<SessionMessagesParts, "store">,
): Promise<{ readonly entries: readonly MessageEntry[]; readonly more?: string }> {
  const newestFirst: MessageEntry[] = [];
  let before = cursor;
  let [shown, chars] = [0, 0];
  for (let read = 0; read < MAX_READ; read += READ_AT_ONCE) {
    const page = await store.readTranscript(sessionId, { limit: READ_AT_ONCE, ...withoutUndefined({ before }) });
    for (const entry of page.items.toReversed()) {
      if (entry.type !== "message") continue;
      const words = wordsOf(entry.message, { includeTools, isMarked: false, hideSecrets: (text) => text });
      const size = words.reduce((sum, { text }) => sum + text.length, 0);
      const isFull = shown > 0 && (shown + words.length > limit || chars + size > MAX_PAGE_CHARS);
      if (isFull) return { entries: newestFirst.toReversed(), ...withoutUndefined({ more: newestFirst.at(-1)?.id }) };
      newestFirst.push(entry);
      shown += words.length;
      chars += size;
    }
    before = page.cursor;
    if (before === undefined) return { entries: newestFirst.toReversed() };
  }
  return { entries: newestFirst.toReversed(), ...withoutUndefined({ more: before }) };
}

/** What a message of a transcript says. */
function wordsOf(
  message: AgentMessage,
  {
    includeTools,
    isMarked,
    hideSecrets,
  }: { readonly includeTools: boolean; readonly isMarked: boolean; readonly hideSecrets: (text: string) => string },
): readonly SessionMessage[] {
  const atMs = message.timestamp;
  const shown = (text: string): string => cutText(hideSecrets(text), MAX_MESSAGE_CHARS, " […]");
  switch (message.role) {
    case "user": {
      const { parts } = message;
      const own = historyNotice(parts);
      const text = shown(own ?? parts?.body ?? plainText(message));
      const untrusted = message.tainted === true;
      return text === "" ? [] : [{ atMs, from: "user", text, untrusted, ...withoutUndefined({ name: parts?.sender?.name }) }];
    }
    case "assistant":
      return message.content.flatMap((block): readonly SessionMessage[] => {
        if (block.type === "text" && block.text.trim() !== "")
          return [{ atMs, from: "assistant", text: shown(block.text), untrusted: isMarked }];
        if (block.type !== "toolCall" || !includeTools) return [];
        return [{ atMs, from: "tool-call", name: block.name, text: shown(JSON.stringify(block.arguments)), untrusted: isMarked }];
      });
    case "toolResult": {
      if (!includeTools) return [];
      const untrusted = message.tainted === true || message.external === true;
      return [{ atMs, from: "tool-result", name: message.toolName, text: shown(plainText(message)), untrusted }];
    }
  }
}

function plainText({ content }: Extract<AgentMessage, { readonly role: "user" | "toolResult" }>): string {
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}
