import type { CallOptions } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { MessageSchema } from "../inbound/event-schema.ts";
import type { SlackMessage } from "../inbound/event-schema.ts";
import { isWritten } from "../inbound/parse-message.ts";

/** Messages that are requested at once; the platform recommends at most 200, and accepts 1,000. */
const PAGE = 100;
/** Requests for one call. */
const MAX_PAGES = 30;

const PageSchema = z.looseObject({
  messages: z.array(z.unknown()),
  has_more: z.boolean().default(false),
  response_metadata: z.looseObject({ next_cursor: z.string().default("") }).optional(),
});
/** The first message of a thread. */
const RootSchema = z.looseObject({ latest_reply: z.string() });

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

interface Page {
  /** Those that somebody wrote. */
  readonly messages: readonly SlackMessage[];
  readonly hasMore: boolean;
  readonly cursor: string;
  /** The newest message of the thread, if the page has its first one. */
  readonly latestReply: string | undefined;
}

type Query = Pick<MessageRange, "before" | "after"> & { readonly size: number; readonly cursor?: string };

/**
 * Reads the newest messages of a conversation or a thread that somebody wrote, oldest first: fewer than `limit` only if there are no more. Rejects with a
 * PlatformFailure.
 */
export async function readMessages(api: SlackApi, range: MessageRange, options: CallOptions): Promise<readonly SlackMessage[]> {
  const read = async (query: Query): Promise<Page> => readPage(api, range, query, options);
  const found = await (range.threadTs === undefined ? readConversation(range, read) : readThread(range.threadTs, range, read));
  return found.toSorted((left, right) => Number(left.ts) - Number(right.ts)).slice(-range.limit);
}

/** The platform pages a conversation from its end. */
async function readConversation(range: MessageRange, read: (query: Query) => Promise<Page>): Promise<readonly SlackMessage[]> {
  const { limit, before, after } = range;
  const found: SlackMessage[] = [];
  let cursor = "";
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await read({ before, after, size: PAGE, cursor });
    found.push(...page.messages);
    cursor = page.cursor;
    if (!page.hasMore || cursor === "" || found.length >= limit) return found;
  }
  return found;
}

/** The platform pages a thread from its beginning. The time is halved until what comes after it is at least `limit` messages and fits in one page. */
async function readThread(
  threadTs: string,
  { limit, before, after }: MessageRange,
  read: (query: Query) => Promise<Page>,
): Promise<readonly SlackMessage[]> {
  const size = Math.max(PAGE, 2 * limit);
  const first = await read({ before, after, size });
  if (!first.hasMore) return first.messages;
  let tooEarly = Number(after ?? threadTs);
  let tooLate = Number(before ?? first.latestReply);
  for (let count = 1; count < MAX_PAGES; count += 1) {
    const middle = (tooEarly + tooLate) / 2;
    const page = await read({ before, after: middle.toFixed(6), size });
    if (page.hasMore) tooEarly = middle;
    else if (page.messages.length >= limit) return page.messages;
    else tooLate = middle;
  }
  throw new PlatformFailure({ type: "local" }, "the newest messages of this thread could not be found");
}

async function readPage(api: SlackApi, range: MessageRange, query: Query, options: CallOptions): Promise<Page> {
  const { channel, threadTs } = range;
  const { before, after, size, cursor = "" } = query;
  const answer = await api.call(
    threadTs === undefined ? "conversations.history" : "conversations.replies",
    {
      channel,
      limit: size,
      include_all_metadata: true,
      ...(threadTs !== undefined && { ts: threadTs }),
      ...(before !== undefined && { latest: before }),
      ...(after !== undefined && { oldest: after }),
      ...(cursor !== "" && { cursor }),
    },
    options,
  );
  const { messages, has_more: hasMore, response_metadata: metadata } = PageSchema.parse(answer);
  // The first message of a thread is in every answer.
  const isInRange = ({ ts }: SlackMessage): boolean => after === undefined || Number(ts) > Number(after);
  return {
    messages: messages.flatMap((value) => {
      const { data } = MessageSchema.safeParse(value);
      return data !== undefined && isWritten(data) && isInRange(data) ? [data] : [];
    }),
    hasMore,
    cursor: metadata?.next_cursor ?? "",
    latestReply: RootSchema.safeParse(messages[0]).data?.latest_reply,
  };
}
