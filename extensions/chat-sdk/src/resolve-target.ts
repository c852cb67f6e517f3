import type { CallOptions, Origin } from "@factotum/channel-contract";
import type { Adapter } from "chat";
import type { AdapterSession } from "./adapter/adapter-session.ts";
import { callAdapter } from "./adapter/call-adapter.ts";
import type { AdapterCalls } from "./adapter/call-adapter.ts";
import { toConversation } from "./conversation-id.ts";
import { toChannelError } from "./errors.ts";

/** `user:…` with the id of a person, `group:…` and `channel:…` with an id of the adapter. Names cannot be looked up. */
export async function resolveTarget(
  query: string,
  options: CallOptions,
  { accountId, session, ...calls }: AdapterCalls & { readonly accountId: string; readonly session: AdapterSession },
): Promise<Origin | undefined> {
  const { type, id } = /^(?<type>user|group|channel):(?<id>\S+)$/.exec(query.trim())?.groups ?? {};
  if (type === undefined || id === undefined) return undefined;
  const adapter = await session.ready(options);
  const threadId = type === "user" ? await openDirect(adapter, id, options, calls) : isThread(adapter, id) ? id : undefined;
  return threadId === undefined ? undefined : { channel: "chat-sdk", accountId, conversation: toConversation(adapter, threadId) };
}

async function openDirect(adapter: Adapter, userId: string, options: CallOptions, calls: AdapterCalls): Promise<string | undefined> {
  return callAdapter(async () => adapter.openDM?.(userId), options, calls).catch((error: unknown) => {
    throw toChannelError(error);
  });
}

function isThread(adapter: Adapter, id: string): boolean {
  if (!id.startsWith(`${adapter.name}:`)) return false;
  try {
    adapter.decodeThreadId(id);
    return true;
  } catch {
    return false;
  }
}
