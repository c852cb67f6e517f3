import type { RpcMethod } from "@factotum/protocol";
import { ChannelRequestError } from "../channels/channel-inspector.ts";
import type { ChannelInspector } from "../channels/channel-inspector.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import { RpcError } from "./rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of single channels. */
export function channelHandlers(
  inspector: ChannelInspector,
  { channels, dispatcher }: { readonly channels: Pick<ChannelRegistry, "accountFor">; readonly dispatcher: Pick<Dispatcher, "discard"> },
): RpcHandlersOf<Extract<RpcMethod, `channels.${string}`>> {
  const addressOf = ({ channel, accountId = "default" }: { readonly channel: string; readonly accountId?: string }) => ({
    channel,
    accountId,
  });
  return {
    "channels.capabilities": async (params) =>
      asked(async () => ({ capabilities: { ...(await inspector.capabilities(addressOf(params))) } })),
    "channels.probe": async (params) => asked(async () => inspector.probe(addressOf(params))),
    "channels.directory": async ({ query, limit = 20, ...params }) =>
      asked(async () => ({ entries: await inspector.directory(addressOf(params), query, limit) })),
    "channels.login": async ({ loginId, answer, ...params }) => asked(async () => inspector.login(addressOf(params), { loginId, answer })),
    "channels.discard": async (params) => {
      const account = addressOf(params);
      if (channels.accountFor(account) !== undefined)
        throw new RpcError("conflict", `The account ${account.channel}:${account.accountId} is configured. Remove it first.`);
      return { discarded: await dispatcher.discard(account) };
    },
    "channels.cancelLogin": async ({ loginId }) => ({ cancelled: inspector.cancelLogin(loginId) }),
  };
}

async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChannelRequestError) throw new RpcError(error.code, error.message, { cause: error });
    throw error;
  }
}
