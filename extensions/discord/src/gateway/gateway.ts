import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { connectionHealth, createConnectionSupervisor, raceAbort } from "@factotum/channel-kit";
import type { ConnectionSupervisor, SocketControl, WebSocketConnection } from "@factotum/channel-kit";
import * as z from "zod";
import type { Bot, DiscordBot } from "../api/bot-identity.ts";
import type { DiscordApi } from "../api/discord-api.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptEvent } from "../inbound/accept-event.ts";
import { createDispatchQueue } from "./dispatch-queue.ts";
import type { DispatchQueue } from "./dispatch-queue.ts";
import { openGatewayConnection, temporary } from "./gateway-connection.ts";
import type { GatewayEvent } from "./gateway-connection.ts";
import { createSessionStore, cursorOf } from "./session-store.ts";
import type { GatewaySession, SessionStore } from "./session-store.ts";

/** The inbound half of a channel. */
export interface Gateway {
  start(options: CallOptions): Promise<void>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** Dependencies of the gateway. */
export interface GatewayParts {
  readonly token: string;
  readonly api: DiscordApi;
  readonly bot: DiscordBot;
  readonly host: ChannelHost;
  readonly accept: AcceptEvent;
}

/** Events of servers, of messages and reactions in them and in direct messages, and of polls. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 24) | (1 << 25);
const MESSAGE_CONTENT = 1 << 15;

const ReadySchema = z.looseObject({ session_id: z.string().min(1), resume_gateway_url: z.string().min(1) });
const GatewaySchema = z.looseObject({
  url: z.string(),
  session_start_limit: z.looseObject({ remaining: z.number(), reset_after: z.number().nonnegative() }).optional(),
});

/** Requests to resume that may fail one after the other before a new session is begun. */
const MAX_RESUMES = 3;
/** New sessions of the day that are left to a person who restarts the gateway. */
const RESERVED_STARTS = 5;
/** What another attempt does not mend, such as a revoked token: it costs a new session each time. */
const FINAL_DELAY_MS = 10 * 60_000;

const NO_CONTENT =
  "the intent Message Content is off, so texts in channels are empty unless they mention the bot: switch it on in the Developer Portal, page Bot, and restart";

/** Creates the connection of an account: its session goes on after a new connection and after a restart, as long as the platform knows it. */
export function createGateway(parts: GatewayParts): Gateway {
  return new DiscordGateway(parts);
}

class DiscordGateway implements Gateway {
  readonly #parts: GatewayParts;
  readonly #sessions: SessionStore;
  readonly #queue: DispatchQueue;
  readonly #supervisor: ConnectionSupervisor<WebSocketConnection>;
  /** The session whose events arrive. */
  #session: { readonly id: string; stored: number } | undefined;
  #failedResumes = 0;
  #evidenceAtMs: number | undefined;
  #starting: Promise<void> | undefined;

  constructor(parts: GatewayParts) {
    const { host } = parts;
    this.#parts = parts;
    this.#sessions = createSessionStore(host);
    this.#queue = createDispatchQueue(host, {
      onOverflow: () => {
        // What still arrives on this connection is sent again on the next.
        this.#session = undefined;
        void this.#supervisor.connection?.close({ signal: AbortSignal.abort() });
      },
    });
    this.#supervisor = createConnectionSupervisor({
      open: (options) => this.#open(options),
      minDelayMs,
      onRetry: (failure, delayMs) => host.logger.warn("discord connection lost", { delayMs, reason: failure.message }),
      clock: host.clock,
      random: host.random,
    });
  }

  start(options: CallOptions): Promise<void> {
    this.#starting ??= this.#startNow(options).catch((error: unknown) => {
      this.#starting = undefined;
      throw toChannelError(error);
    });
    return this.#starting;
  }

  health(): ChannelHealth {
    const { known } = this.#parts.bot;
    const missing = known?.readsContent === false ? NO_CONTENT : undefined;
    return this.#queue.addTo(connectionHealth(this.#supervisor, { evidenceAtMs: this.#evidenceAtMs, missing }));
  }

  async stop(options: CallOptions): Promise<void> {
    await this.#supervisor.stop(options);
    await this.#queue.stop(options);
  }

  async #startNow(options: CallOptions): Promise<void> {
    options.signal.throwIfAborted();
    // The check of the token, also where a session is resumed.
    await this.#parts.bot.get(options);
    await this.#supervisor.start(options);
  }

  /** Resumes the session, or begins a new one. */
  async #open(options: CallOptions): Promise<WebSocketConnection> {
    const self = await this.#parts.bot.get(options);
    const session = await this.#sessions.load();
    if (session !== undefined && this.#failedResumes < MAX_RESUMES) {
      const resumed = await this.#resume(session, self, options);
      if (resumed !== undefined) return resumed;
      await this.#pause(options);
    }
    if (session !== undefined) await this.#forget();
    this.#session = undefined;
    const connection = await this.#connect({ url: await this.#startAddress(options), session: undefined, self }, options);
    this.#failedResumes = 0;
    return connection;
  }

  /** Resolves with nothing if the platform does not know the session any more. */
  async #resume(session: GatewaySession, self: Bot, { signal }: CallOptions): Promise<WebSocketConnection | undefined> {
    this.#session = { id: session.id, stored: session.sequence };
    const progress = { hasLoggedIn: false };
    try {
      const connection = await this.#connect({ url: session.resumeUrl, session, self, progress }, { signal });
      this.#failedResumes = 0;
      return connection;
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.#failedResumes >= MAX_RESUMES) return undefined;
      // A network that is down says nothing about the session. The address of one that has moved does not answer either.
      if (progress.hasLoggedIn || (await this.#isReachable({ signal }))) this.#failedResumes += 1;
      // A refusal, such as of the token, is not about the session: another one would be refused, too.
      throw error;
    }
  }

  async #connect(
    {
      url,
      session,
      self,
      progress,
    }: {
      readonly url: string;
      readonly session: GatewaySession | undefined;
      readonly self: Bot;
      readonly progress?: { hasLoggedIn: boolean };
    },
    { signal }: CallOptions,
  ): Promise<WebSocketConnection> {
    const { token, api, host } = this.#parts;
    return openGatewayConnection({
      url: api.checkGateway(url),
      token,
      intents: self.readsContent ? INTENTS | MESSAGE_CONTENT : INTENTS,
      session,
      host,
      signal,
      stored: () => this.#session?.stored ?? null,
      onEvidence: () => {
        this.#evidenceAtMs = host.clock.now();
      },
      onLogin: () => {
        if (progress !== undefined) progress.hasLoggedIn = true;
      },
      onInvalidSession: () => {
        this.#failedResumes = MAX_RESUMES;
      },
      onEvent: (event, socket) => this.#receive(event, self, socket),
    });
  }

  async #forget(): Promise<void> {
    this.#parts.host.logger.warn("discord session not resumed: messages sent while there was no connection may be missing");
    await this.#sessions.drop();
  }

  /** The platform asks for 1 to 5 seconds before a new session follows one that it refused. */
  async #pause(options: CallOptions): Promise<void> {
    const { clock, random } = this.#parts.host;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = clock.schedule(1_000 + Math.floor(random.float() * 4_000), resolve);
    await raceAbort(promise, options);
  }

  /** The address for a new session. The platform allows a thousand a day and revokes the token of a bot that exceeds them. */
  async #startAddress(options: CallOptions): Promise<string> {
    const { api } = this.#parts;
    const answer = await api
      .call("gateway/bot", (sdk, given) => sdk.gateway.getBot(given), options)
      .catch((error: unknown) => {
        throw toChannelError(error);
      });
    const { url, session_start_limit: limit } = GatewaySchema.parse(answer);
    if (limit !== undefined && limit.remaining <= RESERVED_STARTS) {
      const text = `Discord allows no new session for ${Math.ceil(limit.reset_after / 60_000)} minutes: too many were begun today`;
      throw new ChannelError("rate-limited", text, { retry: { type: "after", delayMs: limit.reset_after } });
    }
    return url;
  }

  async #isReachable(options: CallOptions): Promise<boolean> {
    return this.#parts.api
      .call("gateway", (sdk, given) => sdk.gateway.get(given), options)
      .then(
        () => true,
        () => false,
      );
  }

  #receive({ name, sequence, data }: GatewayEvent, self: Bot, socket: Pick<SocketControl, "ready" | "end">): void {
    if (name === "READY") return this.#begin(sequence, data, socket);
    const session = this.#session;
    if (session === undefined) return;
    const cursor = cursorOf(session.id, sequence);
    const { host, accept } = this.#parts;
    const accepted = accept({ name, data, eventId: `${session.id}/${sequence}` }, self);
    void this.#queue
      .add({
        cursor,
        run: async (attempt) => {
          const messages = await accepted.read(attempt);
          for (const [index, { message, state }] of messages.entries()) {
            const isLast = index === messages.length - 1;
            await host.receive(message, { ...(isLast && { cursor }), ...(state !== undefined && { state }) });
          }
          session.stored = Math.max(session.stored, sequence);
          return messages.length > 0;
        },
      })
      .then(
        () => accepted.settle(undefined),
        (error: unknown) => accepted.settle(error instanceof Error ? error : new Error("not stored", { cause: error })),
      );
  }

  #begin(sequence: number, data: unknown, socket: Pick<SocketControl, "ready" | "end">): void {
    const parsed = ReadySchema.safeParse(data);
    if (!parsed.success) return socket.end(temporary("Discord's READY cannot be read"));
    const { session_id: id, resume_gateway_url: resumeUrl } = parsed.data;
    this.#session = { id, stored: sequence };
    const begun = this.#queue.add({
      cursor: cursorOf(id, sequence),
      run: async () => {
        await this.#parts.host.commit(this.#sessions.begin({ id, resumeUrl, sequence }));
        return true;
      },
    });
    // A session that is not stored before a stop is not resumed.
    begun.catch(() => undefined);
    // A store that fails does not close the connection: each new one costs a session.
    socket.ready();
  }
}

function minDelayMs(failure: Error): number {
  if (!ChannelError.isInstance(failure)) return 0;
  if (failure.retry.type === "after") return failure.retry.delayMs;
  return failure.retry.type === "never" ? FINAL_DELAY_MS : 0;
}
