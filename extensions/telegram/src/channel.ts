import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, Channel, ChannelHost, ProbeResult } from "@factotum/channel-contract";
import { runAction } from "./actions/actions.ts";
import { askForBot, createTelegramBot } from "./api/bot-identity.ts";
import { createTelegramApi } from "./api/telegram-api.ts";
import type { TelegramApi } from "./api/telegram-api.ts";
import { telegramCapabilities } from "./capabilities.ts";
import { createCommandMenu } from "./command-menu.ts";
import type { TelegramConfig } from "./config.ts";
import { toChannelError } from "./errors.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createAcceptUpdates, createMessageThreads } from "./inbound/accept-update.ts";
import { createSender } from "./outbound/sender.ts";
import { resolveTarget } from "./resolve-target.ts";
import { createStoredRows } from "./state/stored-rows.ts";
import { createPolling } from "./transport/polling.ts";
import type { Transport } from "./transport/transport.ts";
import { createWebhook } from "./transport/webhook.ts";

/** Creates the channel of one account. Loads and requests nothing before `start` or the first send. */
export function createTelegramChannel(config: TelegramConfig, host: ChannelHost): Channel {
  const lives = new AbortController();
  const { signal } = lives;
  const api = createTelegramApi(config, host);
  const bot = createTelegramBot(api, host, { signal });
  const rows = createStoredRows(host);
  const threads = createMessageThreads();
  const accept = createAcceptUpdates({ host, api, bot, rows, threads });
  const sender = createSender({ api, host, rows, threads });
  const menu = createCommandMenu(api, host);
  const transport: Transport =
    config.transport.type === "webhook"
      ? createWebhook({ secretToken: config.transport.secretToken, api, host, bot, accept })
      : createPolling({ api, bot, host, accept });
  const isUnreachable = config.transport.type === "webhook" && host.webhookUrl === undefined;
  let stopped: Promise<void> | undefined;

  return {
    capabilities: telegramCapabilities(config.transport.type),
    async start(options) {
      await transport.start(options);
      menu.start();
    },
    handleWebhook: (request, options) => transport.handleWebhook(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: (action, options) => runAction({ api, bot }, action, options),
    fetchAttachment: (ref, options) => fetchAttachment(api, ref, options),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query, options) => resolveTarget({ api, host }, query, options),
    health: () => menu.addTo(bot.addTo(transport.health())),
    probe: async (options) => {
      const result = await probe(api, options).catch((error: unknown) => {
        const failure = toChannelError(error);
        throw isUnreachable ? alsoSaying(NO_ADDRESS, failure) : failure;
      });
      return { ...result, ...(isUnreachable && { problems: [NO_ADDRESS] }) };
    },
    stop: (options) => {
      menu.stop();
      stopped ??= Promise.all([transport.stop(options), sender.stop(options)]).then(() => lives.abort());
      return stopped;
    },
  };
}

const NO_ADDRESS = "Telegram does not learn where to post messages: set gateway.publicUrl, or use the transport polling.";

/** The bot as the platform names it now, and whether it reads groups. */
async function probe(api: TelegramApi, options: CallOptions): Promise<ProbeResult> {
  const { id, username, readsGroups } = await askForBot(api, options);
  const notes = readsGroups
    ? []
    : ["Group privacy is on: in groups it gets only commands, replies and mentions. Turn it off at @BotFather, /setprivacy."];
  return { account: { id, ...(username !== "" && { name: `@${username}` }) }, missingPermissions: [], notes };
}

/** The failure, with a problem that the owner would otherwise meet only once it is mended. */
function alsoSaying(problem: string, failure: ChannelError): ChannelError {
  return new ChannelError(failure.code, `${failure.message}. ${problem}`, { cause: failure, retry: failure.retry });
}
