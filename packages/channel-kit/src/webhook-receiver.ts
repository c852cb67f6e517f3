import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay } from "./backoff-delay.ts";
import { readBodyCapped } from "./read-body-capped.ts";
import { createUnreadableEvents } from "./unreadable-events.ts";
import type { UnreadableEvents } from "./unreadable-events.ts";
import { createWebhookHealth } from "./webhook-health.ts";
import type { RefusedRequest, WebhookHealth } from "./webhook-health.ts";
import { reasonOf } from "./reason-of.ts";

/** The result of verifying a request. */
export type VerifiedRequest<Event> =
  /** Genuine, and answered at once: the platform's check of the address. */
  | { readonly type: "answer"; readonly response: Response }
  | { readonly type: "event"; readonly event: Event }
  | ({ readonly type: "refused" } & RefusedRequest);

/** The outcome of a genuine event. */
export type EventOutcome =
  | { readonly type: "accepted" | "duplicate" }
  /** It belongs to another account and is refused. */
  | { readonly type: "other-account" }
  | { readonly type: "ignored"; readonly reason: string }
  /** A message that cannot be read: acknowledged, since it would be the same again, and counted. */
  | { readonly type: "unreadable"; readonly reason: string };

/** The platform's part of a webhook. */
export interface WebhookReceiverOptions<Event> {
  readonly host: Pick<ChannelHost, "clock" | "logger" | "random">;
  /** What people should check while no verified request has arrived. */
  readonly hint: string;
  readonly maxBytes: number;
  /** True for a request with signature headers; the signature itself is verified on the complete body. */
  readonly hasSignature: (headers: Headers) => boolean;
  /** Requests without signature headers: larger ones get `refusal`. With 0 bytes, because the platform signs everything, none is read. */
  readonly unsigned: { readonly maxBytes: number; readonly refusal: RefusedRequest };
  /** Verifies the raw bytes, and parses them only then. */
  readonly verify: (body: Uint8Array, headers: Headers) => VerifiedRequest<Event>;
  /** Passes an event on; resolves after the commit. Rejects if it was not stored. */
  readonly accept: (event: Event, options: CallOptions) => Promise<EventOutcome>;
  /** Asks the platform whether the credentials are right; rejects with a ChannelError. */
  readonly check: (options: CallOptions) => Promise<unknown>;
  /** The log level of ignored events: `debug` where the platform sends many of them. */
  readonly ignoredLevel: "debug" | "info";
  /** Headers of a refusal for good, which the platform need not send again. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}

/** A webhook of one account. */
export interface WebhookReceiver {
  /**
   * As `Channel.start`: rejects with wrong credentials. An unreachable platform is a problem in the health until it can be reached, and no reason to refuse its
   * events.
   */
  start(options: CallOptions): Promise<void>;
  /** As `Channel.handleWebhook`. */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  /** Refuses all further requests for now. */
  stop(): Promise<void>;
}

/** Creates a webhook that verifies before it parses, and acknowledges an event after its commit. */
export function createWebhookReceiver<Event>(options: WebhookReceiverOptions<Event>): WebhookReceiver {
  return new Receiver(options);
}

const MIN_CHECK_DELAY_MS = 5_000;
const MAX_CHECK_DELAY_MS = 5 * 60_000;

class Receiver<Event> implements WebhookReceiver {
  readonly #parts: WebhookReceiverOptions<Event>;
  readonly #health: WebhookHealth;
  readonly #unreadable: UnreadableEvents;
  readonly #stopped = new AbortController();
  #state: "new" | "started" | "stopped" = "new";
  #nextCheck: Disposable | undefined;

  constructor(parts: WebhookReceiverOptions<Event>) {
    this.#parts = parts;
    this.#health = createWebhookHealth(parts.host, parts);
    this.#unreadable = createUnreadableEvents(parts.host);
  }

  async start(options: CallOptions): Promise<void> {
    if (this.#state === "stopped") {
      const message = "a stopped channel is not started again; make a new one";
      throw new ChannelError("rejected", message, { retry: { type: "never" } });
    }
    if (this.#state === "started") return;
    await this.#parts.check(options).catch((error: unknown) => {
      if (!ChannelError.isInstance(error) || error.code !== "unreachable" || options.signal.aborted) throw error;
      this.#health.setTrouble(error.message);
      this.#parts.host.logger.warn("the platform cannot be reached", { error: error.message });
      this.#checkAgain(0);
    });
    this.#state = "started";
  }

  async handleWebhook(request: Request, options: CallOptions): Promise<Response> {
    if (this.#state === "stopped") return this.#answer(503, "stopped, send it again");
    if (request.method !== "POST") return this.#answer(405, "POST only");
    const { hasSignature, host, maxBytes, unsigned, verify } = this.#parts;
    const isSigned = hasSignature(request.headers);
    if (!isSigned && unsigned.maxBytes === 0) {
      await request.body?.cancel();
      return this.#refuse(unsigned.refusal);
    }
    const limit = { maxBytes: isSigned ? maxBytes : unsigned.maxBytes, signal: options.signal };
    const body = await readBodyCapped(request, limit).catch((error: unknown) => {
      host.logger.info("a webhook request broke off", { error: reasonOf(error) });
      return undefined;
    });
    if (body === undefined) return this.#answer(400, "the body broke off");
    if (body.type === "too-large") return isSigned ? this.#answer(413, "the body is too large") : this.#refuse(unsigned.refusal);
    const verified = verify(body.bytes, request.headers);
    if (verified.type === "refused") return this.#refuse(verified);
    this.#health.recordVerified();
    if (verified.type === "event") return this.#accept(verified.event, options);
    this.#health.setTrouble(undefined);
    return verified.response;
  }

  health(): ChannelHealth {
    return this.#state === "stopped" ? { state: "stopped" } : this.#unreadable.addTo(this.#health.read());
  }

  stop(): Promise<void> {
    this.#state = "stopped";
    this.#stopped.abort(new Error("the channel was stopped"));
    this.#nextCheck?.[Symbol.dispose]();
    return Promise.resolve();
  }

  /** Until the platform has answered: an event that arrives first is evidence, too, and clears the problem. */
  #checkAgain(attempt: number): void {
    const { check, host } = this.#parts;
    const { signal } = this.#stopped;
    const delayMs =
      MIN_CHECK_DELAY_MS + backoffDelay(attempt, { baseMs: MIN_CHECK_DELAY_MS, maxMs: MAX_CHECK_DELAY_MS, random: host.random });
    this.#nextCheck = host.clock.schedule(delayMs, () => {
      check({ signal }).then(
        () => this.#health.setTrouble(undefined),
        (error: unknown) => {
          if (signal.aborted) return;
          this.#health.setTrouble(reasonOf(error));
          if (ChannelError.isInstance(error) && error.code === "unreachable") this.#checkAgain(attempt + 1);
        },
      );
    });
  }

  async #accept(event: Event, options: CallOptions): Promise<Response> {
    const { accept, host, ignoredLevel } = this.#parts;
    try {
      const outcome = await accept(event, options);
      this.#health.setTrouble(undefined);
      if (outcome.type === "other-account") return this.#answer(403, "this event belongs to another account");
      if (outcome.type === "ignored") host.logger[ignoredLevel]("event ignored", { reason: outcome.reason });
      if (outcome.type === "unreadable") this.#unreadable.record(outcome.reason);
      return Response.json({});
    } catch (error) {
      if (error instanceof RangeError) {
        // Over a limit of the contract: it can never be stored, so it must not be sent again.
        this.#unreadable.record(error.message);
        return Response.json({});
      }
      this.#health.setTrouble("an event could not be stored; the platform will send it again");
      host.logger.error("event not stored", { error: reasonOf(error) });
      return this.#answer(503, "not stored, send it again");
    }
  }

  #refuse(request: RefusedRequest): Response {
    this.#health.recordRefused(request);
    return this.#answer(request.status, request.reason);
  }

  #answer(status: number, reason: string): Response {
    const headers = status < 500 ? this.#parts.refusalHeaders : undefined;
    return Response.json({ error: reason }, { status, ...(headers !== undefined && { headers }) });
  }
}
