import type { ChannelHost } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";
import type { IrcChannelConfig, IrcConfig } from "../config.ts";
import { printable } from "../errors.ts";
import type { IrcLine } from "../network/irc-line.ts";
import { WHOX_TOKEN } from "../network/members.ts";
import type { IrcSession } from "./session.ts";

/** Numerics that refuse a JOIN. */
const REFUSALS = new Set(["403", "405", "407", "437", "471", "473", "474", "475", "476", "477", "480", "489", "520"]);

/** The first delay before another try, doubled with each, and the longest. Joining again at once after a kick would look like an attack. */
const BACKOFF = { baseMs: 10_000, maxMs: 15 * 60_000 };

/** Characters of the names and keys of one JOIN. */
const MAX_JOIN_LENGTH = 300;

interface Wanted extends IrcChannelConfig {
  isJoined: boolean;
  attempt: number;
  problem: string | undefined;
  timer: Disposable | undefined;
}

/** Joins the configured channels, and again after a kick or a refusal. */
export class ChannelJoiner implements Disposable {
  readonly #session: IrcSession;
  readonly #host: Pick<ChannelHost, "clock" | "random" | "logger">;
  readonly #wanted = new Map<string, Wanted>();
  readonly #disposed = new AbortController();
  readonly #listening: Disposable;

  constructor(session: IrcSession, config: Pick<IrcConfig, "channels">, host: Pick<ChannelHost, "clock" | "random" | "logger">) {
    this.#session = session;
    this.#host = host;
    for (const channel of config.channels) {
      const { name, key } = typeof channel === "string" ? { name: channel, key: undefined } : channel;
      this.#wanted.set(session.facts.fold(name), { name, key, isJoined: false, attempt: 0, problem: undefined, timer: undefined });
    }
    this.#listening = session.listen((line) => this.#onLine(line));
  }

  /** Asks for every channel; resolves once the server has answered. Rejects if the connection ends or the signal fires. */
  async joinAll(signal: AbortSignal): Promise<void> {
    if (this.#wanted.size === 0) return;
    // The keys of a line belong to its first channels.
    let line: Wanted[] = [];
    for (const wanted of [...this.#wanted.values()].toSorted(
      (left, right) => Number(left.key === undefined) - Number(right.key === undefined),
    )) {
      if (line.length > 0 && joinParams([...line, wanted]).join(" ").length > MAX_JOIN_LENGTH) {
        await this.#join(line, signal);
        line = [];
      }
      line.push(wanted);
    }
    await this.#join(line, signal);
    await this.#session.barrier({ signal: AbortSignal.any([signal, this.#disposed.signal]) });
  }

  /** True for a configured channel that we are not in at the moment. */
  isMissing(channel: string): boolean {
    return this.#wanted.get(this.#session.facts.fold(channel))?.isJoined === false;
  }

  /** Names of the channels that we are in, as they are configured. */
  get joined(): readonly string[] {
    return [...this.#wanted.values()].flatMap(({ name, isJoined }) => (isJoined ? [name] : []));
  }

  /** Channels that we are not in, and why. */
  get missing(): readonly string[] {
    const missing = [...this.#wanted.values()].filter(({ isJoined }) => !isJoined);
    return missing.map(({ name, problem }) => `not in the channel ${name} (${problem ?? "not joined yet"})`);
  }

  /** As `missing`, in one text; `undefined` if there are none. */
  get problem(): string | undefined {
    return this.missing.length === 0 ? undefined : this.missing.join("; ");
  }

  [Symbol.dispose](): void {
    this.#disposed.abort(new Error("the connection has ended"));
    this.#listening[Symbol.dispose]();
    for (const { timer } of this.#wanted.values()) timer?.[Symbol.dispose]();
  }

  async #join(wanted: readonly Wanted[], signal: AbortSignal): Promise<void> {
    await this.#session.limiter.take({ signal: AbortSignal.any([signal, this.#disposed.signal]) });
    this.#session.write("JOIN", joinParams(wanted));
  }

  #onLine(line: IrcLine): void {
    const { command, params, nick } = line;
    const [first = "", second = ""] = params;
    if (command === "JOIN" && this.#session.isSelf(nick)) return this.#joined(first);
    if (command === "KICK" && this.#session.isSelf(second)) return this.#lost(first, `kicked by ${printable(nick)}`);
    if (command === "PART" && this.#session.isSelf(nick)) return this.#lost(first, "removed");
    if (REFUSALS.has(command)) this.#lost(second, `${command} ${printable(params.at(-1) ?? "")}`);
  }

  #joined(channel: string): void {
    const { facts } = this.#session;
    const wanted = this.#wanted.get(facts.fold(channel));
    if (wanted !== undefined) {
      wanted.isJoined = true;
      wanted.problem = undefined;
      wanted.timer?.[Symbol.dispose]();
      // A channel that we stay in is forgiven its kicks.
      wanted.timer = this.#host.clock.schedule(BACKOFF.maxMs, () => (wanted.attempt = 0));
    }
    // Without tags on messages the accounts of members are asked for once, and announced from then on.
    const isTracked = facts.hasCap("extended-join") && facts.hasCap("account-notify") && facts.has("WHOX");
    if (facts.hasCap("account-tag") || !isTracked) return;
    this.#session.limiter.take({ signal: this.#disposed.signal }).then(
      () => this.#session.write("WHO", [channel, `%tna,${WHOX_TOKEN}`]),
      () => undefined,
    );
  }

  #lost(channel: string, problem: string): void {
    const wanted = this.#wanted.get(this.#session.facts.fold(channel));
    if (wanted === undefined || this.#disposed.signal.aborted) return;
    wanted.isJoined = false;
    wanted.problem = problem;
    wanted.timer?.[Symbol.dispose]();
    const delayMs = BACKOFF.baseMs / 2 + backoffDelay(wanted.attempt, { ...BACKOFF, random: this.#host.random });
    wanted.attempt += 1;
    this.#host.logger.warn("irc channel not joined", { channel: wanted.name, problem, delayMs });
    wanted.timer = this.#host.clock.schedule(delayMs, () => {
      this.#join([wanted], this.#disposed.signal).catch(() => undefined);
    });
  }
}

function joinParams(wanted: readonly IrcChannelConfig[]): string[] {
  const keys = wanted.flatMap(({ key }) => key ?? []);
  return [wanted.map(({ name }) => name).join(","), ...(keys.length > 0 ? [keys.join(",")] : [])];
}
