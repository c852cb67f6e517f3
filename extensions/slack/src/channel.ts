import type { CallOptions, Channel, ChannelHost, HistoryMessage, MessageId, Origin, ProbeResult } from "@factotum/channel-contract";
import { runAction } from "./actions/actions.ts";
import { createSlackBot } from "./api/bot-identity.ts";
import type { SlackBot } from "./api/bot-identity.ts";
import { createSlackApi } from "./api/slack-api.ts";
import type { SlackApi } from "./api/slack-api.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackConfig } from "./config.ts";
import { createDirectory } from "./context/directory.ts";
import { namesIn, toHistory } from "./context/history.ts";
import { createLookups } from "./context/lookups.ts";
import type { Lookups } from "./context/lookups.ts";
import { readMessages } from "./context/read-messages.ts";
import { createMessageContextReader } from "./context/message-context.ts";
import { toChannelError } from "./errors.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createAcceptDelivery } from "./inbound/accept-event.ts";
import { createMessageApi } from "./outbound/message-api.ts";
import type { MessageApi } from "./outbound/message-api.ts";
import { reconcile } from "./outbound/reconcile.ts";
import { createSender } from "./outbound/sender.ts";
import { SCOPES } from "./scopes.ts";
import { createSocketMode } from "./transport/socket-mode.ts";
import type { Transport } from "./transport/transport.ts";
import { createWebhookTransport } from "./transport/webhook.ts";

/** Creates the channel of one account. Loads and requests nothing before `start` or the first send. */
export function createSlackChannel(config: SlackConfig, host: ChannelHost): Channel {
  const lives = new AbortController();
  const { signal } = lives;
  const api = createSlackApi(config, host);
  const bot = createSlackBot(api, host, { signal });
  const lookups = createLookups(api, host, { signal });
  const directory = createDirectory(api, host, { signal });
  const context = createMessageContextReader({ api, bot, lookups });
  const messages = createMessageApi(api);
  const sender = createSender({ api, messages, host });
  const accept = createAcceptDelivery({ host, bot, lookups });
  const transport: Transport =
    config.transport.type === "http"
      ? createWebhookTransport({ signingSecret: config.transport.signingSecret, host, bot, accept })
      : createSocketMode({ appToken: config.transport.appToken, api, host, bot, accept });
  let stopped: Promise<void> | undefined;

  return {
    capabilities: slackCapabilities(config.transport.type),
    start: (options) => transport.start(options),
    handleWebhook: (request, options) => transport.handleWebhook(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: (action, options) => runAction({ api, bot, lookups, messages }, action, options),
    fetchAttachment: (ref, options) => fetchAttachment(api, ref, options),
    fetchContext: (message, options) => context.fetch(message, options),
    resolveTarget: (query, options) => mapped(directory.resolve(query, options)),
    health: () => context.addTo(bot.addTo(transport.health())),
    probe: (options) => mapped(probe(api, host, options)),
    directory: (query, options) => mapped(directory.search(query, options)),
    history: (target, options) => mapped(history({ api, bot, lookups, messages }, target, options)),
    reconcile: (target, outbound, { idempotencyKey, sentAtMs, signal: ends }) =>
      reconcile({ api, messages }, { target, outbound, idempotencyKey, sentAtMs }, { signal: ends }),
    stop: (options) => {
      lives.abort();
      stopped ??= Promise.all([transport.stop(options), sender.stop(options)]).then(() => undefined);
      return stopped;
    },
  };
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}

/** The bot as the platform names it now, and the scopes that it lacks. */
async function probe(api: SlackApi, host: ChannelHost, options: CallOptions): Promise<ProbeResult> {
  const { userId, name, scopes } = await createSlackBot(api, host, options).get(options);
  const granted = new Set(scopes);
  const missingPermissions = scopes.length === 0 ? [] : SCOPES.map((scope) => scope.name).filter((scope) => !granted.has(scope));
  return { account: { id: userId, ...(name !== "" && { name }) }, missingPermissions };
}

async function history(
  parts: { readonly api: SlackApi; readonly bot: SlackBot; readonly lookups: Lookups; readonly messages: MessageApi },
  target: Origin,
  { limit, before, signal }: CallOptions & { readonly limit: number; readonly before?: MessageId },
): Promise<readonly HistoryMessage[]> {
  const { api, bot, lookups, messages } = parts;
  const { id, threadId: threadTs } = target.conversation;
  const [self, channel] = await Promise.all([bot.get({ signal }), messages.channelOf(id, { signal })]);
  const found = await readMessages(api, { channel, threadTs, limit, before }, { signal });
  return toHistory(found, { bot: self, names: await namesIn(found, lookups, { signal }) });
}
