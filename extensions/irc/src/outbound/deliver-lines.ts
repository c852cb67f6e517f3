import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId } from "@factotum/channel-contract";
import type { Link } from "../connection/link.ts";
import { IrcFailure, isRefusal, refusalFailure } from "../errors.ts";
import type { IrcLine } from "../network/irc-line.ts";

/** The lines of one text and their recipient. */
export interface Delivery {
  readonly target: string;
  readonly lines: readonly string[];
  /** Makes an id for a line to which the server gave none. */
  readonly createId: () => string;
}

/**
 * Sends lines within the network's limit and resolves with their ids once the server has accepted all of them: by its copy of each, where it sends copies
 * (`echo-message`), else by its answer to a PING behind them, before which it would have refused them. Rejects with an IrcFailure: the refusal, if nothing was
 * shown, otherwise `unconfirmed`.
 */
export async function deliverLines(delivery: Delivery, link: Link, { signal }: CallOptions): Promise<readonly MessageId[]> {
  const attempt = new Attempt(delivery, link);
  const onAbort = (): void => attempt.fail("the send was ended before the server confirmed it", signal.reason);
  using _listening = link.session.listen((line) => attempt.onLine(line));
  using _ending = link.session.onEnd((failure) => attempt.fail(failure.message, failure));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const writing = attempt.write(signal).catch((error: unknown) => attempt.fail("the send was ended before it left", error));
    const ids = await attempt.outcome;
    await writing;
    return ids;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

class Attempt {
  readonly outcome: Promise<readonly MessageId[]>;
  readonly #settled = Promise.withResolvers<readonly MessageId[]>();
  readonly #delivery: Delivery;
  readonly #link: Link;
  readonly #hasEcho: boolean;
  readonly #labels = new Set<string>();
  readonly #ids: MessageId[] = [];
  #written = 0;
  #refusal: IrcFailure | undefined;
  #isOver = false;

  constructor(delivery: Delivery, link: Link) {
    this.#delivery = delivery;
    this.#link = link;
    this.#hasEcho = link.session.facts.hasCap("echo-message");
    this.outcome = this.#settled.promise;
  }

  async write(signal: AbortSignal): Promise<void> {
    const { session } = this.#link;
    const { target, lines, createId } = this.#delivery;
    for (const line of lines) {
      await session.limiter.take({ signal });
      if (this.#isOver) return;
      const label = session.facts.hasCap("labeled-response") ? createId() : undefined;
      if (label !== undefined) this.#labels.add(label);
      session.write("PRIVMSG", [target], line, label);
      this.#written += 1;
    }
    if (this.#hasEcho) return;
    await session.barrier({ signal });
    if (this.#refusal === undefined) this.#accept(lines.map(() => messageId(createId())));
    else this.#refuse(this.#refusal);
  }

  onLine(line: IrcLine): void {
    const { session } = this.#link;
    const { command, params, tags } = line;
    if (command === "PRIVMSG" && session.isSelf(line.nick) && this.#hasEcho && this.#isOurs(params[0], tags)) {
      this.#ids.push(messageId(tags["msgid"] || this.#delivery.createId()));
      if (this.#ids.length === this.#delivery.lines.length) this.#accept(this.#ids);
      return;
    }
    const isStandardFailure = command === "FAIL" && params[0] === "PRIVMSG" && this.#labels.has(tags["label"] ?? "");
    const isNumeric = isRefusal(command) && this.#isOurs(params[1], tags);
    if (this.#written === 0 || !(isStandardFailure || isNumeric)) return;
    this.#refusal ??= refusalFailure(isStandardFailure ? (params[1] ?? "FAIL") : command, params.at(-1) ?? "");
    // Without copies the answer to the PING tells whether other lines were refused, too.
    if (this.#hasEcho) this.#refuse(this.#refusal);
  }

  fail(message: string, cause: unknown): void {
    if (this.#written === 0) {
      const failure = cause instanceof IrcFailure ? cause : new IrcFailure({ type: "unreachable" }, message, { cause });
      return this.#reject(failure);
    }
    this.#reject(new IrcFailure({ type: "unconfirmed" }, message, { cause }));
  }

  #isOurs(target: string | undefined, tags: IrcLine["tags"]): boolean {
    const { facts } = this.#link.session;
    const label = tags["label"];
    return label === undefined ? facts.fold(target ?? "") === facts.fold(this.#delivery.target) : this.#labels.has(label);
  }

  #accept(ids: readonly MessageId[]): void {
    this.#isOver = true;
    this.#settled.resolve(ids);
  }

  /** A part of the lines may be shown. */
  #refuse(refusal: IrcFailure): void {
    const shown = this.#hasEcho ? this.#ids.length : this.#written - 1;
    if (shown === 0) this.#reject(refusal);
    else this.#reject(new IrcFailure({ type: "unconfirmed" }, `a part of the message was refused: ${refusal.message}`, { cause: refusal }));
  }

  #reject(failure: IrcFailure): void {
    this.#isOver = true;
    this.#settled.reject(failure);
  }
}
