import type { ActionResult, CallOptions, ChannelAction, ChannelCapabilities } from "@factotum/channel-contract";
import type { Adapter } from "chat";
import type { AdapterSession } from "../adapter/adapter-session.ts";
import { callAdapter } from "../adapter/call-adapter.ts";
import type { AdapterCalls } from "../adapter/call-adapter.ts";
import { refusal } from "../adapter/find-adapter.ts";
import { toThreadId } from "../conversation-id.ts";
import { toChannelError } from "../errors.ts";

/** Performs one declared action; rejects with a ChannelError. */
export async function act(
  action: ChannelAction,
  options: CallOptions,
  parts: AdapterCalls & { readonly session: AdapterSession; readonly capabilities: () => ChannelCapabilities },
): Promise<ActionResult> {
  const refused = (): Error => refusal(`this channel does not do ${action.name}`);
  if (!parts.capabilities().actions.includes(action.name)) throw refused();
  const adapter = await parts.session.ready(options);
  const call = async (work: () => Promise<object>): Promise<ActionResult> => {
    const value = await callAdapter(work, options, parts).catch((error: unknown) => {
      throw toChannelError(error);
    });
    return { value };
  };
  if (action.name === "member-info") return call(async () => memberInfo(adapter, String(action.parameters["userId"])));
  if (action.name === "channel-info") return call(async () => channelInfo(adapter, action));
  throw refused();
}

async function memberInfo(adapter: Adapter, userId: string): Promise<object> {
  const user = await adapter.getUser?.(userId);
  if (user === null || user === undefined) throw refusal("the person is not known");
  return { id: user.userId, name: user.fullName };
}

async function channelInfo(adapter: Adapter, { target: { conversation } }: ChannelAction): Promise<object> {
  const { channelName } = await adapter.fetchThread(toThreadId(conversation));
  return { id: conversation.id, ...(channelName !== undefined && { name: channelName }) };
}
