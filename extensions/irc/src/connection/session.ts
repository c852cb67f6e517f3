import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createRateLimiter, networkFailureOf, reasonOf } from "@factotum/channel-kit";
import type { RateLimiter, SupervisedConnection } from "@factotum/channel-kit";
import type { Client } from "irc-framework";
import type { IrcConfig } from "../config.ts";
import { endFailure, IrcFailure, printable } from "../errors.ts";
import { formatLine } from "../network/irc-line.ts";
import type { IrcLine } from "../network/irc-line.ts";
import { NetworkFacts } from "../network/network-facts.ts";
import { contain, containFailures } from "./contain-failures.ts";
import { loadFramework } from "./load-framework.ts";
import { createTransportClass } from "./socket-transport.ts";

/** Longest time until the server has accepted a connection: many look up the client's host first. */
const REGISTRATION_TIMEOUT_MS = 60_000;

/** Time for the server to close the connection after QUIT. */
const QUIT_TIMEOUT_MS = 2_000;

/** A connection is checked after this time without a line, and given up after as much again three times. */
const IDLE_MS = 30_000;

/** Nicknames that are tried, the wanted one included. */
const MAX_NICKS = 6;

/** Dependencies of a connection. */
export interface SessionParts {
  readonly config: IrcConfig;
  readonly host: Pick<ChannelHost, "clock" | "logger" | "random">;
}

/** One registered connection. Passes lines on and writes some; knows nothing of messages. */
export class IrcSession implements SupervisedConnection {
  readonly ended: Promise<Error>;
  /** Part of ids of this connection's messages. */
  readonly id: string;
  facts: NetworkFacts = new NetworkFacts();
  /** The network's limit of lines. Every command takes from it before it is written; only the answers to the server's own PING do not. */
  readonly limiter: RateLimiter;
  /** Our own nickname, as the server writes it. */
  nick: string;
  /** Time of the last line of the server. */
  evidenceAtMs: number;
  readonly #parts: SessionParts;
  readonly #client: Client;
  readonly #ending = Promise.withResolvers<Error>();
  readonly #registered = Promise.withResolvers<void>();
  readonly #listeners = new Set<(line: IrcLine) => void>();
  readonly #endListeners = new Set<(failure: Error) => void>();
  #isRegistered = false;
  #isLoggedIn = false;
  #hasEnded = false;
  #nicksTried = 1;
  #lastLineMs: number;
  #failure: IrcFailure | undefined;
  #timer: Disposable | undefined;
  #tokens = 0;

  private constructor(parts: SessionParts, client: Client) {
    this.#parts = parts;
    this.#client = client;
    this.ended = this.#ending.promise;
    this.id = parts.host.random.uuid();
    this.limiter = createRateLimiter({ ...parts.config.flood, clock: parts.host.clock });
    this.nick = parts.config.nick;
    this.evidenceAtMs = parts.host.clock.now();
    this.#lastLineMs = parts.host.clock.monotonic();
  }

  /** Connects and registers; resolves once the server has sent what it sends at the beginning. Rejects with an IrcFailure. */
  static async open(parts: SessionParts, { signal }: CallOptions): Promise<IrcSession> {
    const FrameworkClient = await loadFramework();
    signal.throwIfAborted();
    const client = new FrameworkClient();
    containFailures(client, parts.host.logger);
    const session = new IrcSession(parts, client);
    await session.#register(signal);
    return session;
  }

  /** Calls back with every line of the server; disposing ends it. */
  listen(listener: (line: IrcLine) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  /** Writes a command. Throws a RangeError for an invalid parameter. `label` marks the server's answers. */
  write(command: string, params: readonly string[], trailing?: string, label?: string): void {
    const line = formatLine(command, params, trailing);
    if (!this.#hasEnded) this.#client.raw(label === undefined ? line : `@label=${label} ${line}`);
  }

  /** Resolves once the server has handled everything that was written before; rejects if the connection ends. */
  async barrier({ signal }: CallOptions): Promise<void> {
    await this.limiter.take({ signal });
    this.#tokens += 1;
    const token = `factotum-${this.#tokens}`;
    const answered = Promise.withResolvers<void>();
    using _listening = this.listen(({ command, params }) => {
      if (command === "PONG" && params.at(-1) === token) answered.resolve();
    });
    using _ending = this.onEnd(answered.reject);
    this.write("PING", [token]);
    await answered.promise;
  }

  /** Calls back when the connection ends, at once if it has ended; disposing cancels. */
  onEnd(listener: (failure: Error) => void): Disposable {
    if (this.#failure !== undefined && this.#hasEnded) listener(this.#failure);
    this.#endListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#endListeners.delete(listener) };
  }

  async close({ signal }: CallOptions): Promise<void> {
    if (this.#hasEnded) return;
    this.#client.quit("bye");
    const late = Promise.withResolvers<void>();
    const onAbort = (): void => late.resolve();
    if (signal.aborted) late.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    using _timer = this.#parts.host.clock.schedule(QUIT_TIMEOUT_MS, onAbort);
    await Promise.race([this.ended, late.promise]);
    signal.removeEventListener("abort", onAbort);
    this.#end(new IrcFailure({ type: "unreachable" }, "the connection was closed"));
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { config, host } = this.#parts;
    const fail = (failure: IrcFailure): void => this.#end(failure);
    const onAbort = (): void => fail(new IrcFailure({ type: "unreachable" }, "the start was ended", { cause: signal.reason }));
    signal.addEventListener("abort", onAbort, { once: true });
    this.#timer = host.clock.schedule(REGISTRATION_TIMEOUT_MS, () =>
      fail(new IrcFailure({ type: "unreachable" }, "the server did not accept the connection in time")),
    );
    this.#client.requestCap(["labeled-response", "account-notify", "extended-join"]);
    this.#client.use((_, raw) =>
      raw.use((_command, message, _line, _client, next) => {
        contain(message.command, host.logger, () => this.#onLine(message));
        next();
      }),
    );
    this.#client.on("sasl failed", ({ reason }) =>
      fail(
        new IrcFailure({ type: "unauthorized" }, `the login with SASL failed (${printable(reason)}): check sasl.account and sasl.password`),
      ),
    );
    this.#client.on("socket close", (error) => this.#end(this.#failure ?? closeFailure(error)));
    this.#client.connect({
      host: config.host,
      nick: config.nick,
      username: config.nick.replace(/[^A-Za-z0-9]/g, "").slice(0, 10) || "factotum",
      gecos: config.nick,
      password: config.serverPassword,
      // Without an object the library would log in with the server's password.
      account: config.sasl ?? {},
      auto_reconnect: false,
      ping_interval: 0,
      ping_timeout: 0,
      version: "",
      enable_echomessage: true,
      transport: createTransportClass({ config, logger: host.logger }),
    });
    try {
      using _ending = this.onEnd(this.#registered.reject);
      await this.#registered.promise;
      // The library asks the server for its time.
      await this.limiter.take({ signal });
      await this.barrier({ signal });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
    this.#timer[Symbol.dispose]();
    this.#checkLater();
  }

  #onLine(line: IrcLine): void {
    const { clock, logger } = this.#parts.host;
    this.evidenceAtMs = clock.now();
    this.#lastLineMs = clock.monotonic();
    if (line.command === "ERROR") this.#failure ??= endFailure(line.params.at(-1) ?? "");
    if (line.command === "005") this.facts.learn(line);
    if (line.command === "NICK" && this.isSelf(line.nick)) this.nick = line.params[0] ?? this.nick;
    if (!this.#isRegistered) this.#onRegistrationLine(line);
    for (const listener of this.#listeners) {
      try {
        listener(line);
      } catch (error) {
        logger.error("irc line not handled", {
          command: printable(line.command),
          error: reasonOf(error),
        });
      }
    }
  }

  isSelf(nick: string): boolean {
    return this.facts.fold(nick) === this.facts.fold(this.nick);
  }

  #onRegistrationLine({ command, params }: IrcLine): void {
    const { config } = this.#parts;
    switch (command) {
      case "001":
        this.#isRegistered = true;
        this.nick = params[0] ?? this.nick;
        this.facts = new NetworkFacts(() => this.#client.network.cap.enabled);
        if (config.sasl !== undefined && !this.#isLoggedIn)
          return this.#end(
            new IrcFailure({ type: "unauthorized" }, "the server offers no login with SASL: remove sasl or check the server"),
          );
        return this.#registered.resolve();
      case "900":
      case "903":
        this.#isLoggedIn = true;
        return;
      case "432":
        return this.#end(new IrcFailure({ type: "unauthorized" }, `the server does not accept the nickname ${config.nick}`));
      case "433":
      case "436":
      case "437":
        return this.#tryNextNick();
      case "464":
        this.#failure = new IrcFailure({ type: "unauthorized" }, "the server refuses the password: check serverPassword");
        return;
      case "465":
        this.#failure = new IrcFailure({ type: "unauthorized" }, `the server has banned this host: ${printable(params.at(-1) ?? "")}`);
        return;
    }
  }

  #tryNextNick(): void {
    const { config, host } = this.#parts;
    if (this.#nicksTried >= MAX_NICKS) return this.#end(new IrcFailure({ type: "unreachable" }, "no nickname is free"));
    const suffix = this.#nicksTried < 3 ? "_".repeat(this.#nicksTried) : String(Math.floor(host.random.float() * 10_000));
    this.#nicksTried += 1;
    // Short enough for servers with the limit of the RFC, which would cut the difference off.
    this.nick = `${this.#nicksTried > 3 ? config.nick.slice(0, 5) : config.nick}${suffix}`;
    this.write("NICK", [this.nick]);
  }

  #checkLater(): void {
    const { clock } = this.#parts.host;
    if (this.#hasEnded) return;
    this.#timer = clock.schedule(IDLE_MS, () => {
      const idleMs = clock.monotonic() - this.#lastLineMs;
      if (idleMs >= 3 * IDLE_MS) return this.#end(new IrcFailure({ type: "unreachable" }, "the server does not answer any more"));
      if (idleMs >= IDLE_MS) this.write("PING", ["factotum"]);
      this.#checkLater();
    });
  }

  #end(failure: IrcFailure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
    this.#timer?.[Symbol.dispose]();
    this.#ending.resolve(failure);
    for (const listener of this.#endListeners) listener(failure);
    this.#listeners.clear();
    this.#client.connection.end(null, true);
  }
}

function closeFailure(error: Error | undefined): IrcFailure {
  if (error instanceof IrcFailure) return error;
  const kind = error === undefined ? "unknown" : networkFailureOf(error);
  const what = kind === "not-sent" ? "could not connect" : "the connection broke";
  const reason = error === undefined ? "" : `: ${printable(error.message)}`;
  return new IrcFailure({ type: "unreachable" }, `${what}${reason}`, { cause: error });
}
