import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import { ChannelRequestError } from "../channels/channel-inspector.ts";
import type { ChannelInspector } from "../channels/channel-inspector.ts";
import { RpcError } from "./rpc-error.ts";

type ChannelHandlers = {
  readonly [Method in Extract<RpcMethod, `channels.${string}`>]: (
    params: RpcMethods[Method]["params"],
  ) => Promise<RpcMethods[Method]["result"]>;
};

/** The methods of single channels. */
export function channelHandlers(inspector: ChannelInspector): ChannelHandlers {
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
