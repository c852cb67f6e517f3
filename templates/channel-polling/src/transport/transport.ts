import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { createPoller } from "@factotum/channel-kit";
import * as z from "zod";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import type { SampleChatConfig } from "../config.ts";
import { withChannelErrors } from "../errors.ts";
import { acceptEvent } from "../inbound/accept-event.ts";

/** How long the platform holds a poll without events, in seconds, and how long an answer may take. */
const HOLD_SECONDS = 25;
const TIMEOUT_MS = 40_000;

const Events = z.object({ events: z.array(z.object({ cursor: z.string().min(1), payload: z.unknown() })) });

/** The receiving half of a channel; the members are those of `Channel`. */
export interface Transport {
  start(options: CallOptions): Promise<void>;
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** Dependencies of the transport. */
export interface TransportParts {
  readonly api: SampleChatApi;
  readonly host: ChannelHost;
  readonly config: SampleChatConfig;
}

/** Makes the transport that polls. The platform keeps an event until it is asked with a later cursor, which is committed with the event. */
export function createTransport({ api, host }: TransportParts): Transport {
  let botId = "";
  const poller = createPoller<unknown>({
    host,
    async check(options) {
      botId = await withChannelErrors(api.me(options));
    },
    async poll(cursor, { signal }) {
      const after = cursor === undefined ? "" : `&after=${encodeURIComponent(cursor)}`;
      const answer = Events.parse(
        await withChannelErrors(api.call(`/v1/events?hold=${HOLD_SECONDS}${after}`, {}, { signal, timeoutMs: TIMEOUT_MS })),
      );
      return { events: answer.events.map(({ cursor: at, payload }) => ({ event: payload, cursor: at })) };
    },
    accept: async ([event], progress) => acceptEvent(event, { host, botId, progress }),
  });
  return {
    start: (options) => withChannelErrors(poller.start(options)),
    handleWebhook: () => Promise.resolve(new Response(undefined, { status: 404 })),
    health: () => poller.health(),
    stop: (options) => poller.stop(options),
  };
}
