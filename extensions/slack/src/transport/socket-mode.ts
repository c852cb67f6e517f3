import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay, createUnreadableEvents, PlatformFailure, reasonOf } from "@factotum/channel-kit";
import type { UnreadableEvents } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackBot } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptDelivery } from "../inbound/accept-event.ts";
import type { Delivery } from "../inbound/accept-interaction.ts";
import { SocketConnection } from "./socket-connection.ts";
import type { Transport } from "./transport.ts";

const OpenedSchema = z.looseObject({ url: z.string().regex(/^wss?:\/\//) });

/** Dependencies of Socket Mode. */
export interface SocketModeParts {
  readonly appToken: string;
  readonly api: SlackApi;
  readonly host: ChannelHost;
  readonly bot: SlackBot;
  readonly accept: AcceptDelivery;
}

/**
 * Creates the transport that connects to the platform. A broken connection is reopened with backoff. When the platform announces the end of one, the next is
 * opened first, so that nothing waits in between; the old one is closed once its events are acknowledged.
 */
export function createSocketMode(parts: SocketModeParts): Transport {
  return new SocketMode(parts);
}

class SocketMode implements Transport {
  readonly #parts: SocketModeParts;
  readonly #ended = new AbortController();
  readonly #unreadable: UnreadableEvents;
  readonly #retiring = new Set<SocketConnection>();
  #connection: SocketConnection | undefined;
  #starting: Promise<void> | undefined;
  #replacing: Promise<void> | undefined;
  #retry: Disposable | undefined;
  #attempt = 0;
  #state: ChannelHealth["state"] = "starting";
  #detail: string | undefined;
  #evidenceAtMs: number | undefined;

  constructor(parts: SocketModeParts) {
    this.#parts = parts;
    this.#unreadable = createUnreadableEvents(parts.host);
  }

  start(options: CallOptions): Promise<void> {
    if (this.#ended.signal.aborted)
      return Promise.reject(toChannelError(new Error("a stopped channel is not started again; make a new one")));
    this.#starting ??= this.#startNow(options).catch((error: unknown) => {
      this.#starting = undefined;
      this.#down(error instanceof Error ? error.message : "the connection failed");
      throw toChannelError(error);
    });
    return this.#starting;
  }

  handleWebhook(): Promise<Response> {
    return Promise.resolve(new Response(null, { status: 404 }));
  }

  health(): ChannelHealth {
    return this.#unreadable.addTo({
      state: this.#state,
      ...(this.#evidenceAtMs !== undefined && { evidenceAtMs: this.#evidenceAtMs }),
      ...(this.#detail !== undefined && { detail: this.#detail }),
    });
  }

  async stop({ signal }: CallOptions): Promise<void> {
    this.#ended.abort();
    this.#retry?.[Symbol.dispose]();
    const open = [...this.#retiring, ...(this.#connection === undefined ? [] : [this.#connection])];
    // Events that are being stored are still acknowledged.
    const late = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => late.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([Promise.all(open.map(async (connection) => connection.idle())), late.promise]);
    for (const connection of open) connection.close();
    this.#connection = undefined;
    this.#state = "stopped";
    this.#detail = undefined;
  }

  /** Both tokens are checked: the bot's own id is needed for every message. */
  async #startNow(options: CallOptions): Promise<void> {
    await this.#parts.bot.get(options);
    await this.#connect(options.signal);
  }

  async #connect(startSignal: AbortSignal): Promise<void> {
    const { api, appToken, host } = this.#parts;
    const signal = AbortSignal.any([startSignal, this.#ended.signal]);
    const opened = OpenedSchema.safeParse(await api.call("apps.connections.open", {}, { signal, token: appToken }));
    if (!opened.success) throw new PlatformFailure({ type: "no-answer" }, "Slack named no address for the connection");
    signal.throwIfAborted();
    const connection: SocketConnection = new SocketConnection(opened.data.url, host.clock, {
      evidence: () => {
        this.#evidenceAtMs = host.clock.now();
      },
      deliver: (delivery) => this.#deliver(delivery),
      closing: (reason) => this.#closing(connection, reason),
      closed: (reason) => this.#closed(connection, reason),
    });
    await connection.opened({ signal }).catch((cause: unknown) => {
      throw new PlatformFailure({ type: "not-sent" }, cause instanceof Error ? cause.message : "the connection failed", { cause });
    });
    const previous = this.#connection;
    this.#connection = connection;
    this.#attempt = 0;
    this.#state = "connected";
    this.#detail = undefined;
    if (previous !== undefined) this.#retire(previous);
  }

  #retire(connection: SocketConnection): void {
    this.#retiring.add(connection);
    void connection.idle().then(() => {
      connection.close();
      this.#retiring.delete(connection);
    });
  }

  /** The platform recycles a connection after some hours, and closes the old one seconds after this message. */
  #closing(connection: SocketConnection, reason: string): void {
    if (this.#ended.signal.aborted || connection !== this.#connection || this.#replacing !== undefined) return;
    this.#parts.host.logger.info("slack connection is being replaced", { reason: reason.slice(0, 80) });
    if (reason === "link_disabled") {
      connection.close();
      return this.#closed(connection, "Socket Mode is turned off in the app settings");
    }
    this.#replacing = this.#connect(this.#ended.signal)
      // The old connection is still there; when it closes, the usual retries begin.
      .catch((error: unknown) => {
        this.#parts.host.logger.warn("slack connection not replaced", { error: reasonOf(error) });
      })
      .finally(() => {
        this.#replacing = undefined;
      });
  }

  #closed(connection: SocketConnection, reason: string): void {
    if (this.#ended.signal.aborted || connection !== this.#connection) return;
    this.#connection = undefined;
    this.#down(reason);
    if (this.#replacing === undefined) this.#connectLater();
    else void this.#replacing.then(() => (this.#connection === undefined ? this.#connectLater() : undefined));
  }

  #connectLater(): void {
    const { host } = this.#parts;
    if (this.#ended.signal.aborted) return;
    const delayMs = backoffDelay(this.#attempt, { random: host.random });
    this.#attempt += 1;
    host.logger.warn("slack connection lost", { delayMs, detail: this.#detail });
    this.#retry = host.clock.schedule(delayMs, () => {
      this.#connect(this.#ended.signal).catch((error: unknown) => {
        if (this.#ended.signal.aborted) return;
        this.#down(error instanceof Error ? error.message : "the connection failed");
        this.#connectLater();
      });
    });
  }

  #down(detail: string): void {
    if (this.#ended.signal.aborted) return;
    this.#state = "disconnected";
    this.#detail = detail;
  }

  /** True if the delivery may be acknowledged. */
  async #deliver(delivery: Delivery): Promise<boolean> {
    const { host, accept } = this.#parts;
    if (this.#ended.signal.aborted) return false;
    try {
      const outcome = await accept(delivery, { signal: this.#ended.signal });
      this.#detail = undefined;
      if (outcome.type === "ignored") host.logger.debug("slack event ignored", { reason: outcome.reason });
      if (outcome.type === "unreadable") this.#unreadable.record(outcome.reason);
      if (outcome.type === "other-account") host.logger.warn("slack event of another workspace ignored");
      return true;
    } catch (error) {
      this.#detail = "an event could not be stored; Slack will send it again";
      host.logger.error("slack event not stored", { error: reasonOf(error) });
      return false;
    }
  }
}
