import type { CallOptions, ChannelHost, DirectoryEntry, Origin } from "@factotum/channel-contract";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";

const TTL_MS = 10 * 60_000;
const PAGE = 200;
/** People and conversations of a large workspace; more are not found by name. */
const MAX_PAGES = 50;

const CursorSchema = z.looseObject({ response_metadata: z.looseObject({ next_cursor: z.string().default("") }).optional() });
const UserSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().default(""),
  deleted: z.boolean().default(false),
  real_name: z.string().optional(),
  profile: z.looseObject({ display_name: z.string().optional() }).optional(),
});
const ConversationSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().default(""),
  is_mpim: z.boolean().default(false),
  is_archived: z.boolean().default(false),
});

interface Known extends DirectoryEntry {
  /** Lower case; any of them finds it. */
  readonly keys: readonly string[];
}

/** People and conversations of the workspace, read once in ten minutes. */
export interface Directory {
  /** As `Channel.directory`; rejects with a PlatformFailure. */
  search(query: string, options: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]>;
  /** As `Channel.resolveTarget`; rejects with a PlatformFailure. */
  resolve(query: string, options: CallOptions): Promise<Origin | undefined>;
}

/** Creates the directory of one account; `signal` ends its requests. */
export function createDirectory(api: SlackApi, host: Pick<ChannelHost, "clock" | "accountId">, { signal }: CallOptions): Directory {
  let cached: { readonly entries: Promise<readonly Known[]>; readonly atMs: number } | undefined;
  const read = async (): Promise<readonly Known[]> => {
    const types = "public_channel,private_channel,mpim";
    const [users, conversations] = await Promise.all([
      readPages(api, { method: "users.list", key: "members", parameters: {} }, { signal }),
      readPages(api, { method: "conversations.list", key: "channels", parameters: { types, exclude_archived: true } }, { signal }),
    ]);
    return [...users.flatMap(personOf), ...conversations.flatMap(conversationEntry)];
  };
  const entries = async (): Promise<readonly Known[]> => {
    const nowMs = host.clock.monotonic();
    if (cached === undefined || nowMs - cached.atMs >= TTL_MS) {
      const fresh = { entries: read(), atMs: nowMs };
      cached = fresh;
      fresh.entries.catch(() => {
        if (cached === fresh) cached = undefined;
      });
    }
    return cached.entries;
  };
  const originOf = ({ type, id }: Pick<DirectoryEntry, "type" | "id">): Origin => ({
    channel: "slack",
    accountId: host.accountId,
    conversation: { kind: type === "person" ? "direct" : type, id },
  });

  return {
    async search(query, { limit }) {
      const wanted = query.trim().toLowerCase();
      const found = (await entries()).filter(({ keys }) => keys.some((key) => key.includes(wanted)));
      return found.slice(0, limit).map(({ type, id, name }) => ({ type, id, ...(name !== undefined && { name }) }));
    },
    async resolve(query) {
      const [, kind, rest = ""] = /^(?:(user|channel|group):)?(.*)$/s.exec(query.trim()) ?? [];
      const wanted = rest.trim();
      if (wanted === "") return undefined;
      if (/^[UW][A-Z0-9]{2,}$/.test(wanted)) return originOf({ type: "person", id: wanted });
      if (/^D[A-Z0-9]{2,}$/.test(wanted)) return originOf({ type: "person", id: wanted });
      if (/^[CG][A-Z0-9]{2,}$/.test(wanted)) return originOf({ type: kind === "group" ? "group" : "channel", id: wanted });
      const name = wanted.replace(/^[@#]/, "").toLowerCase();
      const isWanted = ({ type }: Known): boolean => {
        if (kind === "user" || wanted.startsWith("@")) return type === "person";
        return kind === "channel" || kind === "group" || wanted.startsWith("#") ? type !== "person" : true;
      };
      const [found, ...more] = (await entries()).filter((entry) => isWanted(entry) && entry.keys.includes(name));
      return found === undefined || more.length > 0 ? undefined : originOf(found);
    },
  };
}

async function readPages(
  api: SlackApi,
  request: { readonly method: string; readonly key: string; readonly parameters: Readonly<Record<string, unknown>> },
  options: CallOptions,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const parameters = { ...request.parameters, limit: PAGE, ...(cursor !== "" && { cursor }) };
    const answer = await api.call(request.method, parameters, options);
    const values = answer[request.key];
    if (Array.isArray(values)) all.push(...(values as unknown[]));
    cursor = CursorSchema.safeParse(answer).data?.response_metadata?.next_cursor ?? "";
    if (cursor === "") break;
  }
  return all;
}

function personOf(value: unknown): readonly Known[] {
  const parsed = UserSchema.safeParse(value);
  if (!parsed.success || parsed.data.deleted) return [];
  const { id, name, real_name: realName, profile } = parsed.data;
  const names = [profile?.display_name, realName, name].filter((one) => one !== undefined && one !== "") as string[];
  return [{ type: "person", id, ...(names[0] !== undefined && { name: names[0] }), keys: keysOf(id, names) }];
}

function conversationEntry(value: unknown): readonly Known[] {
  const parsed = ConversationSchema.safeParse(value);
  if (!parsed.success || parsed.data.is_archived) return [];
  const { id, name, is_mpim: isGroup } = parsed.data;
  return [{ type: isGroup ? "group" : "channel", id, ...(name !== "" && { name }), keys: keysOf(id, [name]) }];
}

function keysOf(id: string, names: readonly string[]): readonly string[] {
  return [id, ...names].filter((key) => key !== "").map((key) => key.toLowerCase());
}
