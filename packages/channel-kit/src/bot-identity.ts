import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { addDetail } from "./add-detail.ts";
import { raceAbort } from "./race-abort.ts";
import { reasonOf } from "./reason-of.ts";

/** How the platform is asked who the bot is. */
export interface BotIdentityOptions<Bot> {
  /** Asks the platform; rejects if it does not name the bot. */
  readonly ask: (options: CallOptions) => Promise<Bot>;
  /** What a failure means for people, for status: `messages are refused until the platform names the bot`. */
  readonly consequence: string;
  readonly host: Pick<ChannelHost, "clock">;
  /** Fires when the channel stops; ends the request. */
  readonly signal: AbortSignal;
}

/** The bot of an account, asked for once: there is one request at a time, however many callers wait for it. */
export interface BotIdentity<Bot> {
  /** The bot, once the platform has named it. */
  readonly known: Bot | undefined;
  /**
   * Asks the platform unless it has answered before. Rejects like `ask`, or with a ChannelError `unreachable` once the signal fires, which ends the wait and not
   * the request.
   */
  get(options: CallOptions): Promise<Bot>;
  /**
   * For an event that the platform sends again: waits briefly, and not at all when many events wait or the platform has just failed to answer. Rejects with a
   * ChannelError `unreachable`.
   */
  getForEvent(options: CallOptions): Promise<Bot>;
  /** The health with a failed request in its detail. The state stays. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** How long events wait, counted from the start of the request; platforms give up on a webhook after 3 seconds. */
const EVENT_WAIT_MS = 2_000;
/** Events that wait at once: each holds one of the account's 64 webhook requests. */
const MAX_WAITING_EVENTS = 16;
/** How long events do not ask again after a failure; platforms send them again later than this. */
const FAILURE_TTL_MS = 10_000;

/** Remembers who the bot of an account is. Asks nothing before the first call. */
export function createBotIdentity<Bot>({ ask, consequence, host: { clock }, signal: lives }: BotIdentityOptions<Bot>): BotIdentity<Bot> {
  let known: Bot | undefined;
  let request: { readonly answer: Promise<Bot>; readonly startedAtMs: number } | undefined;
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let waiting = 0;

  const query = async (): Promise<Bot> => {
    try {
      known = await ask({ signal: lives });
      failure = undefined;
      return known;
    } catch (error) {
      failure = { reason: reasonOf(error), atMs: clock.monotonic() };
      throw error;
    } finally {
      request = undefined;
    }
  };
  const join = (): NonNullable<typeof request> => {
    if (request !== undefined) return request;
    request = { answer: query(), startedAtMs: clock.monotonic() };
    // All callers may have left by then.
    request.answer.catch(() => undefined);
    return request;
  };

  return {
    get known() {
      return known;
    },
    async get({ signal }) {
      if (known !== undefined) return known;
      return raceAbort(join().answer, { signal }).catch((cause: unknown) => {
        throw signal.aborted ? unnamed("the wait was ended", cause) : cause;
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
      const signal = AbortSignal.any([options.signal, limit.signal]);
      waiting += 1;
      try {
        return await raceAbort(answer, { signal });
      } catch (error) {
        throw unnamed(signal.aborted ? "no answer yet" : reasonOf(error), error);
      } finally {
        waiting -= 1;
      }
    },
    addTo: (health) => (failure === undefined ? health : addDetail(health, `${consequence}: ${failure.reason}`)),
  };
}

function unnamed(reason: string, cause?: unknown): ChannelError {
  return new ChannelError("unreachable", `the platform has not named the bot: ${reason}`, { retry: { type: "backoff" }, cause });
}
