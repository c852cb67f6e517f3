import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createCachedLookup } from "@factotum/channel-kit";
import type { CachedLookup } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { toLookupFailure } from "../errors.ts";

const HOUR_MS = 60 * 60_000;
/** How long an event that is to be acknowledged waits for a name. */
const EVENT_WAIT_MS = 1_000;

/** A conversation as the platform describes it. */
interface ConversationInfo {
  readonly name: string;
  readonly topic: string;
  readonly isGroup: boolean;
}

/** Cached facts of the workspace. */
export interface Lookups {
  readonly people: CachedLookup<string>;
  readonly conversations: CachedLookup<ConversationInfo>;
  /** The thread of a message, by conversation and timestamp with a slash between; an empty string if it is in none. */
  readonly threads: CachedLookup<string>;
  /** Names by id, as far as they arrive in time for an event. Never rejects. */
  namesForEvent(ids: readonly string[], options: CallOptions): Promise<ReadonlyMap<string, string>>;
  /** The result of a lookup for an event, if it arrives in time. Never rejects. */
  forEvent<T>(lookup: CachedLookup<T>, key: string, options: CallOptions): Promise<T | undefined>;
}

/** The names of a person. */
export interface NamedUser {
  readonly user: {
    readonly name: string;
    readonly real_name?: string | undefined;
    readonly profile?: { readonly display_name?: string | undefined; readonly real_name?: string | undefined } | undefined;
  };
}

const UserSchema = z.looseObject({
  user: z.looseObject({
    name: z.string().default(""),
    real_name: z.string().optional(),
    profile: z.looseObject({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
  }),
});
const ConversationSchema = z.looseObject({
  channel: z.looseObject({
    name: z.string().default(""),
    is_mpim: z.boolean().default(false),
    topic: z.looseObject({ value: z.string().default("") }).optional(),
  }),
});
const ThreadSchema = z.looseObject({ messages: z.array(z.looseObject({ ts: z.string(), thread_ts: z.string().optional() })) });

/** The name under which people know a person. */
export function displayName({ user }: NamedUser): string {
  return user.profile?.display_name || user.real_name || user.profile?.real_name || user.name;
}

/** Creates the lookups of one account; `signal` ends their requests. */
export function createLookups(api: SlackApi, host: Pick<ChannelHost, "clock" | "logger">, { signal }: CallOptions): Lookups {
  const advice = (scope: string): string => `grant it ${scope} in the app settings, OAuth & Permissions, and reinstall the app`;
  const common = { host, signal, ttlMs: HOUR_MS, advice, failureOf: toLookupFailure };
  const people = createCachedLookup<string>({
    ...common,
    what: "the names of people",
    scope: "users:read",
    maxEntries: 2_000,
    ask: async (user, options) => displayName(UserSchema.parse(await api.call("users.info", { user }, options))),
  });
  const conversations = createCachedLookup<ConversationInfo>({
    ...common,
    what: "the names of conversations",
    scope: "channels:read",
    maxEntries: 1_000,
    async ask(channel, options) {
      const {
        name,
        is_mpim: isGroup,
        topic,
      } = ConversationSchema.parse(await api.call("conversations.info", { channel }, options)).channel;
      return { name, topic: topic?.value ?? "", isGroup };
    },
  });
  const threads = createCachedLookup<string>({
    ...common,
    what: "the messages that reactions are about",
    scope: "channels:history",
    maxEntries: 1_000,
    async ask(key, options) {
      const [channel = "", ts = ""] = key.split("/");
      const { messages } = ThreadSchema.parse(await api.call("conversations.replies", { channel, ts, limit: 1, inclusive: true }, options));
      const threadTs = messages.find((message) => message.ts === ts)?.thread_ts;
      return threadTs === undefined || threadTs === ts ? "" : threadTs;
    },
  });
  const forEvent = async <T>(lookup: CachedLookup<T>, key: string, options: CallOptions): Promise<T | undefined> => {
    const limit = new AbortController();
    using _timer = host.clock.schedule(EVENT_WAIT_MS, () => limit.abort());
    return await lookup.get(key, { signal: AbortSignal.any([options.signal, limit.signal]) });
  };
  return {
    people,
    conversations,
    threads,
    forEvent,
    async namesForEvent(ids, options) {
      const names = await Promise.all(ids.map(async (id) => [id, await forEvent(people, id, options)] as const));
      return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
    },
  };
}
