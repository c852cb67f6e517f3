import { createCachedLookup } from "@factotum/channel-kit";
import type { CachedLookup, CachedLookupOptions } from "@factotum/channel-kit";
import { SCOPES } from "../account/scopes.ts";
import { toLookupFailure } from "../errors.ts";
import type { LookupApi, MessagePlace } from "./lookup-api.ts";
import type { FetchedMessage } from "./message-item.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const QUOTE_TTL_MS = 10 * MINUTE_MS;

/** Earlier messages of a thread that are shown. */
export const THREAD_MESSAGES = 20;

/** What is looked up about messages, by chat id, message id, or chat id and first message of a thread with a slash between. */
export interface Lookups {
  readonly members: CachedLookup<ReadonlyMap<string, string>>;
  readonly subjects: CachedLookup<string>;
  readonly quotes: CachedLookup<FetchedMessage>;
  readonly places: CachedLookup<MessagePlace>;
  readonly threads: CachedLookup<readonly FetchedMessage[]>;
  readonly forwards: CachedLookup<readonly FetchedMessage[]>;
}

/** The lookups of the platform, each with the lifetime and number of cached answers. */
export function createLookups(asks: LookupApi, { host, signal }: Pick<CachedLookupOptions<unknown>, "host" | "signal">): Lookups {
  const advice = (scope: string): string => `grant it ${scope} in the developer console`;
  const common = { host, signal, advice, failureOf: toLookupFailure };
  return {
    members: createCachedLookup({
      ...common,
      what: "the names of people in groups",
      scope: SCOPES.members.scope,
      ttlMs: HOUR_MS,
      maxEntries: 200,
      ask: asks.memberNames,
    }),
    subjects: createCachedLookup({
      ...common,
      what: "the names of groups",
      scope: SCOPES.chats.scope,
      ttlMs: HOUR_MS,
      maxEntries: 1_000,
      ask: asks.chatName,
    }),
    quotes: createCachedLookup({
      ...common,
      what: "messages that are replied to",
      scope: SCOPES.messages.scope,
      ttlMs: QUOTE_TTL_MS,
      maxEntries: 200,
      ask: asks.message,
    }),
    places: createCachedLookup({
      ...common,
      what: "the messages that reactions and recalls are about",
      scope: SCOPES.messages.scope,
      ttlMs: HOUR_MS,
      maxEntries: 500,
      ask: asks.place,
    }),
    threads: createCachedLookup({
      ...common,
      what: "the messages of threads",
      scope: SCOPES.receiveGroups.scope,
      ttlMs: MINUTE_MS,
      maxEntries: 50,
      ask: async (key, options) => {
        const [chatId = "", threadRootId] = key.split("/");
        return asks.history({ chatId, threadRootId }, { ...options, limit: THREAD_MESSAGES + 2 });
      },
    }),
    forwards: createCachedLookup({
      ...common,
      what: "forwarded messages",
      scope: SCOPES.messages.scope,
      ttlMs: QUOTE_TTL_MS,
      maxEntries: 50,
      ask: asks.forwarded,
    }),
  };
}
