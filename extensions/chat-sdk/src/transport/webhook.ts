import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay, createWebhookHealth, isLocalError, raceAbort, readBodyCapped } from "@factotum/channel-kit";
import type { WebhookHealth } from "@factotum/channel-kit";
import type { AdapterSession } from "../adapter/adapter-session.ts";
import { refusal } from "../adapter/find-adapter.ts";
import { Delivery } from "../chat/delivery.ts";
import type { Deliveries } from "../chat/delivery.ts";
import type { AccountStateAdapter } from "../state/state-adapter.ts";

/** What the webhook of an account needs. */
export interface WebhookParts {
  readonly host: Pick<ChannelHost, "clock" | "logger" | "random">;
  readonly session: AdapterSession;
  readonly deliveries: Deliveries;
  readonly state: Pick<AccountStateAdapter, "commit" | "discard">;
  /** What was not stored waits in memory, too, and the inbox reports it. */
  readonly retries: boolean;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** A request is answered by then: platforms give up after ten seconds to a minute. */
const MAX_HANDLE_MS = 25_000;
const MIN_CHECK_DELAY_MS = 5_000;
const MAX_CHECK_DELAY_MS = 5 * 60_000;

/** The outcome of a request. */
type Handled = { readonly response: Response; readonly isStored: boolean };

/**
 * The webhook of an account: the adapter verifies and reads each request, and its answer is given once everything that it passed on is stored. Where something was not
 * stored, the platform is told to send the request again, and what the adapter wrote about it is forgotten, so that it does not take the repetition for known.
 */
export class Webhook {
  readonly #parts: WebhookParts;
  readonly #health: WebhookHealth;
  /** Requests that are handled now. */
  readonly #handling = new Set<Promise<void>>();
  /** Requests of which something was not stored. */
  #failures = 0;
  #state: "new" | "started" | "stopped" = "new";
  #nextCheck: Disposable | undefined;
  readonly #stopped = new AbortController();

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#health = createWebhookHealth(parts.host, { hint: "register this account's address as the webhook of the platform" });
  }

  /** As `Channel.start`; an unreachable platform is a problem in the health until it can be reached. */
  async start(options: CallOptions): Promise<void> {
    if (this.#state === "stopped") throw refusal("a stopped channel is not started again; make a new one");
    if (this.#state === "started") return;
    await this.#check(options).catch((error: unknown) => {
      if (!ChannelError.isInstance(error) || error.code !== "unreachable" || options.signal.aborted) throw error;
      this.#parts.host.logger.warn("the platform cannot be reached", { error: error.message });
      this.#checkAgain(0, error);
    });
    this.#state = "started";
  }

  async handleWebhook(request: Request, options: CallOptions): Promise<Response> {
    if (this.#state === "stopped") return answer(503, "stopped, send it again");
    const { host } = this.#parts;
    const limit = { maxBytes: MAX_BODY_BYTES, signal: options.signal };
    const body = await readBodyCapped(request, limit).catch((error: unknown) => {
      host.logger.info("a webhook request broke off", { error: error instanceof Error ? error.name : "unknown" });
      return undefined;
    });
    if (body === undefined) return answer(400, "the body broke off");
    if (body.type === "too-large") return answer(413, "the body is too large");
    const copy = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(body.bytes.length > 0 && { body: Buffer.from(body.bytes) }),
    });
    const delivery = new Delivery();
    try {
      return await this.#answer(delivery, copy, options);
    } catch (error) {
      this.#health.setTrouble(
        error instanceof ChannelError ? error.message : "a request could not be handled; the platform will send it again",
      );
      host.logger.error("webhook request not handled", { error: error instanceof Error ? error.name : "unknown" });
      return answer(503, "not handled, send it again");
    } finally {
      delivery.close();
      this.#parts.state.discard(delivery);
    }
  }

  health(): ChannelHealth {
    return this.#state === "stopped" ? { state: "stopped" } : this.#health.read();
  }

  stop(): void {
    this.#state = "stopped";
    this.#stopped.abort(new Error("the channel was stopped"));
    this.#nextCheck?.[Symbol.dispose]();
  }

  async #check(options: CallOptions): Promise<void> {
    await this.#parts.session.verify(options);
  }

  #checkAgain(attempt: number, problem: Error): void {
    const { clock, random } = this.#parts.host;
    this.#health.setTrouble(problem.message);
    const { signal } = this.#stopped;
    const backoff = backoffDelay(attempt, { baseMs: MIN_CHECK_DELAY_MS, maxMs: MAX_CHECK_DELAY_MS, random });
    this.#nextCheck = clock.schedule(MIN_CHECK_DELAY_MS + backoff, () => {
      this.#check({ signal }).then(
        () => this.#health.setTrouble(undefined),
        (error: unknown) => {
          if (signal.aborted || !(error instanceof Error)) return;
          if (ChannelError.isInstance(error) && error.code === "unreachable") this.#checkAgain(attempt + 1, error);
          else this.#health.setTrouble(error.message);
        },
      );
    });
  }

  async #answer(delivery: Delivery, request: Request, options: CallOptions): Promise<Response> {
    const { promise: handling, resolve } = Promise.withResolvers<void>();
    const failuresBefore = this.#failures;
    this.#handling.add(handling);
    let handled: Handled = { response: answer(503, "not stored, send it again"), isStored: false };
    try {
      handled = await this.#handle(delivery, request, options);
    } finally {
      if (!handled.isStored) this.#failures += 1;
      this.#handling.delete(handling);
      resolve();
    }
    if (handled.response.ok) this.#health.recordVerified();
    let { isStored } = handled;
    if (isStored && !delivery.hasPassed) {
      // The adapter can have merged its message into that of another request, or taken it for known because another one brought it just before.
      await Promise.all(this.#handling);
      isStored = this.#failures === failuresBefore;
    }
    if (!isStored) {
      if (!this.#parts.retries) this.#health.setTrouble("an event could not be stored; the platform will send it again");
      this.#parts.host.logger.error("event not stored", { failures: delivery.failures.length });
      return answer(503, "not stored, send it again");
    }
    return this.#conclude(delivery, handled.response);
  }

  /** Lets the adapter handle a request, and waits for what it passed on. */
  async #handle(delivery: Delivery, request: Request, options: CallOptions): Promise<Handled> {
    const { deliveries, host, session } = this.#parts;
    const deadline = new AbortController();
    using _timer = host.clock.schedule(MAX_HANDLE_MS, () => deadline.abort(new Error("the adapter took too long")));
    const late = { signal: deadline.signal };
    const adapter = await session.ready({ signal: AbortSignal.any([options.signal, deadline.signal]) });
    let response: Response;
    try {
      const waitUntil = (work: Promise<unknown>): void => delivery.waitFor(work);
      response = await raceAbort(
        deliveries.run(delivery, async () => adapter.handleWebhook(request, { waitUntil })),
        late,
      );
    } catch (error) {
      // What an adapter does not understand would be the same again.
      if (!isLocalError(error)) throw error;
      response = answer(400, "the adapter cannot read this request");
    }
    try {
      await raceAbort(delivery.idle(), late);
    } catch {
      // Signs of typing and the like may be late, but not an event.
      return { response, isStored: delivery.hasPassed && delivery.failures.length === 0 };
    }
    return { response, isStored: delivery.failures.length === 0 };
  }

  async #conclude(delivery: Delivery, response: Response): Promise<Response> {
    // What the adapter refused or could not handle may come again, and is not known then.
    if (response.status < 400) await this.#parts.state.commit(delivery);
    if (response.ok) this.#health.setTrouble(undefined);
    else if (response.status < 500) {
      const status = response.status === 401 || response.status === 403 ? 401 : 400;
      this.#health.recordRefused({ status, reason: `the adapter answered with ${response.status}`, signed: false });
    } else this.#health.setTrouble(`the adapter answered a request with ${response.status}; the platform will send it again`);
    return response;
  }
}

function answer(status: number, reason: string): Response {
  return Response.json({ error: reason }, { status });
}
