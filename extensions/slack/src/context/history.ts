import type { CallOptions, HistoryMessage } from "@factotum/channel-contract";
import * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { attachmentsOf } from "../inbound/attachment-ref.ts";
import { MessageSchema, timestampMs } from "../inbound/event-schema.ts";
import type { SlackMessage } from "../inbound/event-schema.ts";
import { markedPeople, nameMentions } from "../inbound/mention-marks.ts";
import { isWritten, textOf } from "../inbound/parse-message.ts";
import type { Lookups } from "./lookups.ts";

/** Messages of a conversation that are fetched at once; the platform gives at most so many to apps outside its directory. */
const PAGE = 100;
/** Pages that are read for one call. */
const MAX_PAGES = 10;

const PageSchema = z.looseObject({
  messages: z.array(z.unknown()),
  has_more: z.boolean().default(false),
  response_metadata: z.looseObject({ next_cursor: z.string().default("") }).optional(),
});

/** Which messages are read. */
export interface MessageRange {
  readonly channel: string;
  readonly threadTs?: string | undefined;
  readonly limit: number;
  /** Messages before this timestamp. */
  readonly before?: string | undefined;
  /** Messages after this timestamp. */
  readonly after?: string | undefined;
}

/** Reads the newest messages of a conversation or a thread that somebody wrote, oldest first. Rejects with a SlackFailure. */
export async function readMessages(api: SlackApi, range: MessageRange, options: CallOptions): Promise<readonly SlackMessage[]> {
  const { channel, threadTs, limit, before, after } = range;
  const method = threadTs === undefined ? "conversations.history" : "conversations.replies";
  const found: SlackMessage[] = [];
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await api.call(
      method,
      {
        channel,
        limit: PAGE,
        include_all_metadata: true,
        ...(threadTs !== undefined && { ts: threadTs }),
        ...(before !== undefined && { latest: before }),
        ...(after !== undefined && { oldest: after }),
        ...(cursor !== "" && { cursor }),
      },
      options,
    );
    const { messages, has_more: hasMore, response_metadata: metadata } = PageSchema.parse(answer);
    for (const value of messages) {
      const parsed = MessageSchema.safeParse(value);
      if (parsed.success && isWritten(parsed.data)) found.push(parsed.data);
    }
    cursor = metadata?.next_cursor ?? "";
    // A conversation is read from its end, a thread from its beginning.
    if (!hasMore || cursor === "" || (threadTs === undefined && found.length >= limit)) break;
  }
  return found.toSorted((left, right) => Number(left.ts) - Number(right.ts)).slice(-limit);
}

/** A message's text with names and files. */
export function bodyOf(message: SlackMessage, options: { readonly bot: Bot; readonly names: ReadonlyMap<string, string> }): string {
  const { bot, names } = options;
  const { text } = nameMentions(textOf(message), { botId: "", botName: "", names: new Map([...names, [bot.userId, bot.name]]) });
  const files = attachmentsOf(message.files).map(({ kind, fileName }) =>
    fileName === undefined ? `[${kind}]` : `[${kind}: ${shownName(fileName)}]`,
  );
  return [...(text === "" ? [] : [text]), ...files].join("\n");
}

/** The names of everybody who wrote a message or is named in one. Never rejects. */
export async function namesIn(
  messages: readonly SlackMessage[],
  lookups: Lookups,
  options: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(messages.flatMap((message) => [...(message.user ? [message.user] : []), ...markedPeople(textOf(message))]));
  const names = await Promise.all([...ids].map(async (id) => [id, await lookups.people.get(id, options)] as const));
  return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
}

/** Messages as history. */
export function toHistory(
  messages: readonly SlackMessage[],
  options: { readonly bot: Bot; readonly names: ReadonlyMap<string, string> },
): readonly HistoryMessage[] {
  return messages.map((message) => ({
    sender: options.names.get(message.user ?? "") ?? message.username ?? message.user ?? message.bot_id ?? "unknown",
    timestampMs: timestampMs(message.ts),
    body: bodyOf(message, options),
  }));
}

/** A file's name without characters that end the note or give orders. */
function shownName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80);
}
