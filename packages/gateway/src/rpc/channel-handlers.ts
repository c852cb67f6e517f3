import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod } from "@factotum/protocol";
import type { AccountAddress } from "../channels/channel-inspector.ts";
import type { Engine } from "../engine/engine.ts";
import type { ChannelService } from "./channel-service.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { sendTestMessage } from "./send-test-message.ts";

/** The methods of channels and of single accounts. */
export function channelHandlers(
  engine: Pick<Engine, "channelInspector" | "pairing" | "parts">,
  service: ChannelService,
): RpcHandlersOf<Extract<RpcMethod, `channels.${string}`>> {
  const { channelInspector: inspector, pairing, parts } = engine;
  const { channels, dispatcher } = parts;
  return {
    "channels.capabilities": async (params) => ({ capabilities: { ...(await inspector.capabilities(addressOf(params))) } }),
    "channels.probe": async (params) => inspector.probe(addressOf(params)),
    "channels.login": async ({ loginId, answer, ...params }) => inspector.login(addressOf(params), { loginId, answer }),
    "channels.cancelLogin": async ({ loginId }) => ({ cancelled: inspector.cancelLogin(loginId) }),
    "channels.list": async () => ({ channels: await service.list() }),
    "channels.form": async (params) => service.form(addressOf(params)),
    "channels.save": async ({ settings, baseHash, ...params }) =>
      service.save(addressOf(params), { settings, ...withoutUndefined({ baseHash }) }),
    "channels.restart": async (params) => {
      const account = addressOf(params);
      if (channels.accountFor(account) === undefined)
        throw new RpcError("not-found", `No account ${account.channel}:${account.accountId} is configured.`);
      await channels.restart(account);
      return { restarted: true };
    },
    "channels.remove": async (params) => {
      const account = addressOf(params);
      const removed = await service.remove(account);
      // Not before the account is gone: until then another message could make a code.
      const pairings = await pairing.forgetAccount(account);
      const discarded = channels.accountFor(account) === undefined ? await dispatcher.discard(account) : 0;
      return { ...removed, discarded, pairings };
    },
    "channels.test": async ({ text, to, ...params }) => sendTestMessage(engine, addressOf(params), { text, to }),
  };
}

/** The account that parameters name. */
export function addressOf({ channel, accountId = "default" }: { readonly channel: string; readonly accountId?: string }): AccountAddress {
  return { channel, accountId };
}
