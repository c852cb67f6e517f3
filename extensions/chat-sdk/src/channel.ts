import type { CallOptions, Channel, ChannelCapabilities, ChannelHost, ProbeResult } from "@factotum/channel-contract";
import { createCardRows } from "@factotum/channel-kit";
import type { CardRows } from "@factotum/channel-kit";
import { act } from "./actions/actions.ts";
import { createAdapterSession } from "./adapter/adapter-session.ts";
import { loadSdk } from "./adapter/load-sdk.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { createChatInstance } from "./chat/chat-instance.ts";
import type { EventParsers } from "./chat/chat-instance.ts";
import { createDeliveries } from "./chat/delivery.ts";
import { createInbox } from "./chat/inbox.ts";
import type { ChatSdkConfig } from "./config.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { parseAction, parseCommand, parseDeletion, parseReaction } from "./inbound/parse-events.ts";
import { parseEdit, parseMessage } from "./inbound/parse-message.ts";
import type { EventFacts } from "./inbound/parse-message.ts";
import { knownAdapter } from "./known-adapters.ts";
import type { KnownAdapter } from "./known-adapters.ts";
import { createSender } from "./outbound/sender.ts";
import { resolveTarget } from "./resolve-target.ts";
import { createStateAdapter } from "./state/state-adapter.ts";
import { Webhook } from "./transport/webhook.ts";

/** Creates the channel of one account. Loads nothing and sends no request before `start` or the first send. */
export function createChatSdkChannel(config: ChatSdkConfig, host: ChannelHost): Channel {
  return createChannel(config, host, import.meta.dirname);
}

/** The same, with the folder below which the adapter's package is looked for. */
export function createChannel(config: ChatSdkConfig, host: ChannelHost, from: string): Channel {
  const known = knownAdapter(config.adapter);
  const calls = { clock: host.clock, known };
  const deliveries = createDeliveries();
  const state = createStateAdapter(host, deliveries);
  const buttons = createCardRows(host);
  const capabilities = (): ChannelCapabilities => capabilitiesOf(config.adapter, session.loaded);
  const retries = known?.capabilities.inbound.delivery !== "redelivers";
  const inbox = createInbox(host, { deliveries, retries });
  const chat = createChatInstance({ host, inbox, parsers: createParsers(host, { buttons, known }), state });
  const session = createAdapterSession(config, { host, chat, from });
  const webhook = new Webhook({ host, session, deliveries, state, retries });
  const sender = createSender({ host, session, known, buttons, capabilities });

  return {
    get capabilities() {
      return capabilities();
    },
    start: (options) => webhook.start(options),
    handleWebhook: (request, options) => webhook.handleWebhook(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: (action, options) => act(action, options, { ...calls, session, capabilities }),
    fetchAttachment: (ref, options) => fetchAttachment(ref, options, { ...calls, session }),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query, options) => resolveTarget(query, options, { ...calls, accountId: host.accountId, session }),
    health: () => inbox.addTo(webhook.health()),
    probe: (options) => probe(config, host, { from, options }),
    async stop(options) {
      webhook.stop();
      await Promise.all([sender.stop(options), inbox.stop(options)]);
      await session.close(options);
    },
  };
}

function createParsers(
  { accountId, commands }: Pick<ChannelHost, "accountId" | "commands">,
  { buttons, known }: { readonly buttons: CardRows; readonly known: KnownAdapter | undefined },
): EventParsers {
  const facts = async (): Promise<EventFacts> => ({ accountId, sdk: await loadSdk() });
  return {
    message: async (adapter, threadId, message) => parseMessage(adapter, threadId, message, await facts()),
    edit: async (adapter, threadId, message) => parseEdit(adapter, threadId, message, await facts()),
    deletion: async (event) => parseDeletion(event, await facts()),
    reaction: async (event) => parseReaction(event, await facts()),
    action: async (event) => parseAction(event, (await buttons.find(event.actionId))?.button, await facts()),
    command: async (event) => parseCommand(event, { ...(await facts()), commands: commands.list(), aliases: known?.commandAliases ?? {} }),
  };
}

/** Asks the platform by an adapter of its own, whose events are left alone. */
async function probe(
  config: ChatSdkConfig,
  host: ChannelHost,
  { from, options }: { readonly from: string; readonly options: CallOptions },
): Promise<ProbeResult> {
  const deliveries = createDeliveries();
  const chat = createChatInstance({
    host,
    inbox: { take: () => Promise.resolve() },
    parsers: createParsers(host, { buttons: createCardRows(host), known: undefined }),
    state: createStateAdapter(host, deliveries),
  });
  const session = createAdapterSession(config, { host, chat, from });
  try {
    const { botUserId, name, userName } = await session.verify(options);
    const isKnown = knownAdapter(config.adapter) !== undefined;
    const note = `${config.adapter} was not tested with this channel: it sends texts only, a message may be lost where the platform sends it once, and the verification of its requests was not checked.`;
    return { account: { id: botUserId ?? name, name: userName }, missingPermissions: [], ...(!isKnown && { notes: [note] }) };
  } finally {
    await session.close(options);
  }
}
