import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createPoller } from "@factotum/channel-kit";
import type { PollAnswer } from "@factotum/channel-kit";
import * as z from "zod";
import { askForBot } from "../api/bot-identity.ts";
import type { TelegramBot } from "../api/bot-identity.ts";
import type { TelegramApi } from "../api/telegram-api.ts";
import { toChannelError } from "../errors.ts";
import { albumOf, ALLOWED_UPDATES } from "../inbound/accept-update.ts";
import type { AcceptUpdates } from "../inbound/accept-update.ts";
import { createStoredAlbums } from "./stored-albums.ts";
import type { Transport } from "./transport.ts";

/** How long the platform holds a poll that has no update. */
const POLL_SECONDS = 25;
const POLL_TIMEOUT_MS = 45_000;
const MAX_UPDATES = 100;
/** Parts of an album arrive together; the last may be a moment late. */
const ALBUM_WAIT_MS = 500;
/** After a week without updates the platform counts from another number. */
const CURSOR_LIFE_MS = 6 * 24 * 60 * 60_000;

const UpdatesSchema = z.array(z.unknown());
const WebhookSchema = z.looseObject({ url: z.string().default("") });

/** Dependencies of polling. */
export interface PollingParts {
  readonly api: TelegramApi;
  readonly bot: TelegramBot;
  readonly host: ChannelHost;
  readonly accept: AcceptUpdates;
}

/** Creates the transport that asks the platform for updates. The platform keeps an update until it is asked for later ones. */
export function createPolling({ api, bot, host, accept }: PollingParts): Transport {
  let isWebhookRemoved = false;
  const check = async (options: CallOptions): Promise<void> => {
    // A token that was right may have been revoked since.
    await (bot.known === undefined ? bot.get(options) : askForBot(api, options));
    if (isWebhookRemoved) return;
    await removeWebhook(api, host, options);
    isWebhookRemoved = true;
  };
  const poller = createPoller<unknown>({
    host,
    check: (options) => mapped(check(options)),
    poll: (cursor, options) => mapped(poll(api, host, cursor, options)),
    accept,
    albums: { keyOf: albumOf, waitMs: ALBUM_WAIT_MS },
  });
  // Parts that were acknowledged while this account had a webhook.
  const albums = createStoredAlbums(host, accept);
  return {
    async start(options) {
      await mapped(poller.start(options));
      await albums.start();
    },
    handleWebhook: () => Promise.resolve(new Response(null, { status: 404 })),
    health: () => albums.addTo(poller.health()),
    async stop(options) {
      await Promise.all([poller.stop(options), albums.stop(options)]);
    },
  };
}

async function poll(api: TelegramApi, host: ChannelHost, cursor: string | undefined, options: CallOptions): Promise<PollAnswer<unknown>> {
  const nowMs = host.clock.now();
  const offset = offsetOf(cursor, nowMs);
  const parameters = {
    timeout: POLL_SECONDS,
    limit: MAX_UPDATES,
    allowed_updates: ALLOWED_UPDATES,
    ...(offset !== undefined && { offset }),
  };
  const updates = UpdatesSchema.parse(await api.call("getUpdates", parameters, { ...options, timeoutMs: POLL_TIMEOUT_MS }));
  let next = offset ?? 0;
  return {
    events: updates.map((event) => {
      const id = idOf(event);
      if (id === undefined) return { event };
      // One that was confirmed before does not lead back.
      next = Math.max(next, id + 1);
      return { event, cursor: `${next}@${nowMs}` };
    }),
  };
}

/** A cursor is the next update and when it was stored. */
function offsetOf(cursor: string | undefined, nowMs: number): number | undefined {
  const [, offset, storedAtMs] = /^(\d+)@(\d+)$/.exec(cursor ?? "") ?? [];
  return offset === undefined || nowMs - Number(storedAtMs) > CURSOR_LIFE_MS ? undefined : Number(offset);
}

function idOf(update: unknown): number | undefined {
  const { update_id: id } = (typeof update === "object" ? (update ?? {}) : {}) as { readonly update_id?: unknown };
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** Polls are refused while a webhook is registered, such as that of an earlier setting. */
async function removeWebhook(api: TelegramApi, { logger }: ChannelHost, options: CallOptions): Promise<void> {
  const { url } = WebhookSchema.parse(await api.call("getWebhookInfo", {}, options));
  if (url === "") return;
  await api.call("deleteWebhook", { drop_pending_updates: false }, options);
  logger.info("telegram webhook removed: this account polls");
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}
