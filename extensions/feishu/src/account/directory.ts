import type { CallOptions, DirectoryEntry } from "@factotum/channel-contract";
import * as z from "zod";
import type { MessageContextReader } from "../context/message-context.ts";
import type { ReadApi } from "../context/read-api.ts";
import { toChannelError } from "../errors.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** Groups whose members are looked through: each costs a request. */
const MAX_GROUPS = 20;

const ChatsSchema = z.looseObject({
  data: z.looseObject({
    items: z.array(z.looseObject({ chat_id: z.string().min(1), name: z.string().default("") })).default([]),
    page_token: z.string().optional(),
    has_more: z.boolean().optional(),
  }),
});

/** As `Channel.directory`: the groups that the bot is in, then people in the first 20 of them. */
export async function findEntries(
  parts: { readonly read: ReadApi; readonly context: MessageContextReader },
  query: string,
  options: CallOptions & { readonly limit: number },
): Promise<readonly DirectoryEntry[]> {
  const { read, context } = parts;
  const { limit } = options;
  const wanted = query.trim().toLowerCase();
  const fits = (entry: DirectoryEntry): boolean => [entry.id, entry.name ?? ""].some((text) => text.toLowerCase().includes(wanted));
  try {
    const groups = await listGroups(read, options);
    const found = new Map(groups.filter(fits).map((group) => [group.id, group]));
    for (const group of groups.slice(0, MAX_GROUPS)) {
      if (found.size >= limit) break;
      for (const [id, name] of await context.memberNames(group.id, options)) {
        const person: DirectoryEntry = { type: "person", id, name };
        if (fits(person)) found.set(id, person);
      }
    }
    return [...found.values()].slice(0, limit);
  } catch (error) {
    throw toChannelError(error);
  }
}

async function listGroups(read: ReadApi, options: CallOptions): Promise<readonly DirectoryEntry[]> {
  const groups: DirectoryEntry[] = [];
  let token = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = { page_size: PAGE_SIZE, ...(token === "" ? {} : { page_token: token }) };
    const { data } = await read(ChatsSchema, "/im/v1/chats", params, options);
    for (const { chat_id: id, name } of data.items) groups.push({ type: "group", id, ...(name !== "" && { name }) });
    token = data.page_token ?? "";
    if (data.has_more !== true || token === "") break;
  }
  return groups;
}
