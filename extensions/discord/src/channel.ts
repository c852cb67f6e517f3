import type { CallOptions, Channel, ChannelHost, HistoryMessage, MessageId, Origin, ProbeResult } from "@factotum/channel-contract";
import { createUnreadableEvents } from "@factotum/channel-kit";
import { runAction } from "./actions/actions.ts";
import { askForBot, createDiscordBot } from "./api/bot-identity.ts";
import { createDiscordApi } from "./api/discord-api.ts";
import type { DiscordApi } from "./api/discord-api.ts";
import { DISCORD_CAPABILITIES } from "./capabilities.ts";
import { createCommandMenu } from "./command-menu.ts";
import type { DiscordConfig } from "./config.ts";
import { createDirectory } from "./context/directory.ts";
import { createGuildRoles } from "./context/guild-roles.ts";
import { readMessages, toHistory } from "./context/history.ts";
import { fetchMessageContext, textContext } from "./context/message-context.ts";
import type { ContextParts } from "./context/message-context.ts";
import { createPlaces } from "./context/places.ts";
import { toChannelError } from "./errors.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createGateway } from "./gateway/gateway.ts";
import { createAcceptEvent } from "./inbound/accept-event.ts";
import { createAcceptInteraction, createInteractionAcks } from "./inbound/accept-interaction.ts";
import { createMessageApi } from "./outbound/message-api.ts";
import { createSender } from "./outbound/sender.ts";
import { createStoredRows } from "./state/stored-rows.ts";

/** Creates the channel of one account. Loads and requests nothing before `start` or the first send. */
export function createDiscordChannel(config: DiscordConfig, host: ChannelHost): Channel {
  const lives = new AbortController();
  const { signal } = lives;
  const api = createDiscordApi(config, host, { signal });
  const bot = createDiscordBot(api, host, { signal });
  const rows = createStoredRows(host);
  const places = createPlaces(api, host, { signal });
  const roles = createGuildRoles(api, host, { signal });
  const acks = createInteractionAcks();
  const unreadable = createUnreadableEvents(host);
  const interactions = createAcceptInteraction({ host, api, rows, acks, unreadable }, { signal });
  const accept = createAcceptEvent({ host, places, roles, rows, interactions, unreadable }, { signal });
  const gateway = createGateway({ token: config.token, api, bot, host, accept });
  const messages = createMessageApi({ api, rows, acks });
  const sender = createSender({ api, host, messages, rows });
  const directory = createDirectory({ api, places }, host, { signal });
  const menu = createCommandMenu({ api, bot, host });
  const context: ContextParts = { api, bot, places };
  let stopped: Promise<void> | undefined;
  const stop = async (options: CallOptions): Promise<void> => {
    menu.stop();
    await Promise.all([gateway.stop(options), sender.stop(options)]);
    lives.abort(new Error("the channel was stopped"));
    api.close();
  };

  return {
    capabilities: DISCORD_CAPABILITIES,
    async start(options) {
      await gateway.start(options);
      menu.start();
    },
    handleWebhook: () => Promise.resolve(new Response(null, { status: 404 })),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: (action, options) => runAction({ api, bot, places, roles }, action, options),
    fetchAttachment: (ref, options) => fetchAttachment(api, ref, options),
    fetchContext: (message, options) => fetchMessageContext(context, message, options),
    resolveTarget: (query, options) => mapped(directory.resolve(query, options)),
    health() {
      const health = menu.addTo(unreadable.addTo(bot.addTo(gateway.health())));
      const { problem } = places;
      if (problem === undefined || health.state === "stopped") return health;
      return { ...health, detail: [health.detail, problem].filter(Boolean).join("; ") };
    },
    probe: (options) => mapped(probe(api, options)),
    directory: (query, options) => mapped(directory.search(query, options)),
    history: (target, options) => mapped(history(context, target, options)),
    stop: (options) => (stopped ??= stop(options)),
  };
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}

/** The bot as the platform names it now, and what it cannot read. */
async function probe(api: DiscordApi, options: CallOptions): Promise<ProbeResult> {
  const { id, name, readsContent } = await askForBot(api, options);
  const missingPermissions = readsContent ? [] : ["Message Content Intent (Developer Portal, page Bot, Privileged Gateway Intents)"];
  return { account: { id, ...(name !== "" && { name }) }, missingPermissions };
}

async function history(
  parts: ContextParts,
  { conversation: { id, threadId } }: Origin,
  { limit, before, signal }: CallOptions & { readonly limit: number; readonly before?: MessageId },
): Promise<readonly HistoryMessage[]> {
  const [context, messages] = await Promise.all([
    textContext(parts, { signal }),
    readMessages(parts.api, { channel: threadId ?? id, limit, before }, { signal }),
  ]);
  return toHistory(messages, context);
}
