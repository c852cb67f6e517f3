import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";
import { SlackFailure } from "../errors.ts";
import type { SlackApi } from "./slack-api.ts";
import { until } from "./until.ts";

/** Who the bot is on the platform. */
export interface Bot {
  /** As messages name it; begins with `U`. */
  readonly userId: string;
  /** As its own posts name it; begins with `B`. */
  readonly botId: string;
  readonly name: string;
  /** The workspace. */
  readonly teamId: string;
  /** The granted scopes; empty if the platform does not list them. */
  readonly scopes: readonly string[];
}

/** The bot, asked for once: there is one request at a time, however many callers wait for it. */
export interface BotIdentity {
  /** The bot, once the platform has named it. */
  readonly known: Bot | undefined;
  /** Asks the platform unless it has answered before. Rejects with a SlackFailure. An aborted signal ends the wait, not the request. */
  get(options: CallOptions): Promise<Bot>;
  /**
   * For an event that the platform sends again: waits briefly, and not at all when many events wait or the platform has just failed to answer. Rejects
   * with a SlackFailure.
   */
  getForEvent(options: CallOptions): Promise<Bot>;
  /** The health with a failed request in its detail. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** How long events wait, counted from the start of the request; the platform gives up on a webhook after 3 seconds. */
const EVENT_WAIT_MS = 2_000;
/** Events that wait at once: each holds one of the account's 64 webhook requests. */
const MAX_WAITING_EVENTS = 16;
/** How long events do not ask again after a failure; the platform sends them again after a minute. */
const FAILURE_TTL_MS = 10_000;

const IdentitySchema = z.looseObject({
  user_id: z.string().min(1),
  bot_id: z.string().default(""),
  team_id: z.string().default(""),
  user: z.string().default(""),
  response_metadata: z.looseObject({ scopes: z.array(z.string()).default([]) }).optional(),
});

/** Remembers the bot's id for an account; `signal` ends its request. */
export function createBotIdentity(api: SlackApi, { clock }: Pick<ChannelHost, "clock">, { signal }: CallOptions): BotIdentity {
  let known: Bot | undefined;
  let request: { readonly answer: Promise<Bot>; readonly startedAtMs: number } | undefined;
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let waiting = 0;

  const ask = async (): Promise<Bot> => {
    try {
      const answer = IdentitySchema.safeParse(await api.call("auth.test", {}, { signal }));
      if (!answer.success)
        throw new SlackFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
      failure = undefined;
      const { user_id: userId, bot_id: botId, team_id: teamId, user: name, response_metadata: metadata } = answer.data;
      return (known = { userId, botId, teamId, name, scopes: metadata?.scopes ?? [] });
    } catch (error) {
      failure = { reason: error instanceof Error ? error.message : "unknown", atMs: clock.monotonic() };
      throw error;
    } finally {
      request = undefined;
    }
  };
  const join = (): NonNullable<typeof request> => {
    if (request !== undefined) return request;
    request = { answer: ask(), startedAtMs: clock.monotonic() };
    // Those who wait may be gone by then.
    request.answer.catch(() => undefined);
    return request;
  };

  return {
    get known() {
      return known;
    },
    async get(options) {
      if (known !== undefined) return known;
      return until(options.signal, join().answer).catch((cause: unknown) => {
        throw cause instanceof SlackFailure ? cause : new SlackFailure({ type: "not-sent" }, "the wait was ended", { cause });
      });
    },
    async getForEvent(options) {
      if (known !== undefined) return known;
      const nowMs = clock.monotonic();
      if (failure !== undefined && nowMs - failure.atMs < FAILURE_TTL_MS) throw unnamed(failure.reason);
      const { answer, startedAtMs } = join();
      const leftMs = startedAtMs + EVENT_WAIT_MS - nowMs;
      if (leftMs <= 0) throw unnamed("no answer yet");
      if (waiting >= MAX_WAITING_EVENTS) throw unnamed("too many events wait for the answer");
      const limit = new AbortController();
      using _timer = clock.schedule(leftMs, () => limit.abort());
      waiting += 1;
      try {
        return await until(AbortSignal.any([options.signal, limit.signal]), answer);
      } catch (error) {
        throw unnamed(error instanceof SlackFailure ? error.message : "no answer yet");
      } finally {
        waiting -= 1;
      }
    },
    addTo(health) {
      if (failure === undefined || health.state === "stopped") return health;
      const text = `messages are refused until Slack names the bot: ${failure.reason}`;
      return { ...health, detail: health.detail === undefined ? text : `${health.detail}; ${text}` };
    },
  };
}

function unnamed(reason: string): SlackFailure {
  return new SlackFailure({ type: "no-answer" }, `Slack has not named the bot: ${reason}`);
}
