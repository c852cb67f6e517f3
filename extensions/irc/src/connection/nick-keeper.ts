import type { ChannelHost } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";
import type { IrcLine } from "../network/irc-line.ts";
import type { IrcSession } from "./session.ts";

const BACKOFF = { baseMs: 60_000, maxMs: 30 * 60_000 };

/** Takes the wanted nickname back: when its holder leaves, and now and then. */
export class NickKeeper implements Disposable {
  readonly #session: IrcSession;
  readonly #wanted: string;
  readonly #host: Pick<ChannelHost, "clock" | "random">;
  readonly #disposed = new AbortController();
  readonly #listening: Disposable;
  #attempt = 0;
  #timer: Disposable | undefined;

  constructor(session: IrcSession, wanted: string, host: Pick<ChannelHost, "clock" | "random">) {
    this.#session = session;
    this.#wanted = wanted;
    this.#host = host;
    this.#listening = session.listen((line) => this.#onLine(line));
    this.#tryLater();
  }

  /** Why we are not called as configured; `undefined` if we are. */
  get problem(): string | undefined {
    return this.#session.isSelf(this.#wanted) ? undefined : `called ${this.#session.nick}, because ${this.#wanted} is taken`;
  }

  [Symbol.dispose](): void {
    this.#disposed.abort(new Error("the connection has ended"));
    this.#listening[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #onLine({ command, nick, params }: IrcLine): void {
    if (command !== "NICK" && command !== "QUIT") return;
    // Renamed by the services or a collision: an immediate answer would be a loop.
    if (command === "NICK" && this.#session.isSelf(params[0] ?? "")) return this.#tryLater();
    const { facts } = this.#session;
    if (facts.fold(nick) === facts.fold(this.#wanted) && this.problem !== undefined) this.#try();
  }

  #try(): void {
    this.#session.limiter.take({ signal: this.#disposed.signal }).then(
      () => this.#session.write("NICK", [this.#wanted]),
      () => undefined,
    );
  }

  #tryLater(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.problem === undefined) return;
    const delayMs = BACKOFF.baseMs / 2 + backoffDelay(this.#attempt, { ...BACKOFF, random: this.#host.random });
    this.#attempt += 1;
    this.#timer = this.#host.clock.schedule(delayMs, () => {
      this.#try();
      this.#tryLater();
    });
  }
}
