import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";
import { FeishuFailure } from "../errors.ts";
import type { FeishuApi } from "./feishu-api.ts";
import { until } from "./until.ts";

/** Who the bot is on the platform. */
export interface Bot {
  readonly openId: string;
  readonly name: string;
}

/** The bot, asked for once: there is one request at a time, however many callers wait for it. */
export interface BotIdentity {
  /** The bot, once the platform has named it. */
  readonly known: Bot | undefined;
  /** Asks the platform unless it has answered before. Rejects with a FeishuFailure. An aborted signal ends the wait, not the request. */
  get(options: CallOptions): Promise<Bot>;
  /**
   * For an event that the platform sends again: waits briefly, and not at all when many events wait or the platform has just failed to answer. Rejects
   * with a FeishuFailure.
   */
  getForEvent(options: CallOptions): Promise<Bot>;
  /** The health with a failed request in its detail. The state stays: direct messages arrive. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** How long events wait, counted from the start of the request; the platform gives up on a webhook after 3 seconds. */
const EVENT_WAIT_MS = 2_000;
/** Events that wait at once: each holds one of the account's 64 webhook requests, which direct messages need too. */
const MAX_WAITING_EVENTS = 16;
/** How long events do not ask again after a failure; the platform sends them again after 15 seconds. */
const FAILURE_TTL_MS = 10_000;

const InfoSchema = z.looseObject({ bot: z.looseObject({ open_id: z.string().min(1), app_name: z.string().default("") }) });

/** Remembers the bot's id for an account; `signal` ends its request. */
export function createBotIdentity(api: FeishuApi, { clock }: Pick<ChannelHost, "clock">, { signal }: CallOptions): BotIdentity {
  let known: Bot | undefined;
  let request: { readonly answer: Promise<Bot>; readonly startedAtMs: number } | undefined;
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let waiting = 0;

  const ask = async (): Promise<Bot> => {
    try {
      const answer = InfoSchema.safeParse(await api.call({ method: "GET", path: "/bot/v3/info" }, { signal }));
      if (!answer.success)
        throw new FeishuFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
      failure = undefined;
      return (known = { openId: answer.data.bot.open_id, name: answer.data.bot.app_name });
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
        throw cause instanceof FeishuFailure ? cause : new FeishuFailure({ type: "not-sent" }, "the wait was ended", { cause });
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
        throw unnamed(error instanceof FeishuFailure ? error.message : "no answer yet");
      } finally {
        waiting -= 1;
      }
    },
    addTo(health) {
      if (failure === undefined || health.state === "stopped") return health;
      const text = `messages of groups that mention somebody are refused until Feishu names the bot: ${failure.reason}`;
      return { ...health, detail: health.detail === undefined ? text : `${health.detail}; ${text}` };
    },
  };
}

function unnamed(reason: string): FeishuFailure {
  return new FeishuFailure({ type: "no-answer" }, `Feishu has not named the bot: ${reason}`);
}
