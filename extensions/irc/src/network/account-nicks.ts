import type { AccountChange, CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import { IrcFailure, refusalFailure } from "../errors.ts";
import type { Link } from "../connection/link.ts";
import type { IrcLine } from "./irc-line.ts";
import type { Person } from "../conversation-id.ts";

/** How long a nickname counts as its owner's without another question: if the server would tell that they leave, and if it would not. */
const FRESH_IN_SIGHT_MS = 60_000;
const FRESH_OUT_OF_SIGHT_MS = 5_000;

/** Accounts in memory; the nicknames of others are read from the state. */
const MAX_ACCOUNTS = 1_000;
/** How long the state keeps a nickname after the account's last message, and how often it is written again for that. */
const KEEP_MS = 90 * 24 * 60 * 60_000;
const REWRITE_MS = 24 * 60 * 60_000;

interface Known {
  readonly nick: string;
  readonly atMs: number;
  /** Wall-clock time at which `learn` last passed it on to be stored. */
  readonly storedAtMs: number;
}

/**
 * Under which nickname the owner of an account can be reached. A message to an account goes to nobody else: the server is asked who has the nickname, unless it
 * has said so a moment ago. The last nickname is kept in the account's state for 90 days, for messages after a restart.
 */
export class AccountNicks {
  readonly #host: Pick<ChannelHost, "clock" | "state">;
  readonly #known = createBoundedMap<string, Known>(MAX_ACCOUNTS);

  constructor(host: Pick<ChannelHost, "clock" | "state">) {
    this.#host = host;
  }

  /** Learns from a message; returns the change of the state that has to be committed with it. */
  learn(person: Person, nick: string): readonly AccountChange[] {
    if (person.type !== "account") return [];
    const nowMs = this.#host.clock.now();
    const before = this.#known.get(person.name);
    const isStored = before?.nick === nick && nowMs - before.storedAtMs < REWRITE_MS;
    this.#known.set(person.name, { nick, atMs: this.#host.clock.monotonic(), storedAtMs: isStored ? before.storedAtMs : nowMs });
    if (isStored) return [];
    return [{ type: "set", key: keyOf(person.name), value: { type: "json", json: nick }, expiresAtMs: nowMs + KEEP_MS }];
  }

  /** Follows the people in our channels: to another nickname, and until they leave or log out. */
  follow({ command, nick, params: [next = ""] }: IrcLine): void {
    if (command !== "NICK" && command !== "QUIT" && command !== "ACCOUNT") return;
    for (const [account, known] of [...this.#known].filter(([, one]) => one.nick === nick))
      this.#known.set(
        account,
        command === "NICK" ? { ...known, nick: next, storedAtMs: Number.NEGATIVE_INFINITY } : { ...known, atMs: Number.NEGATIVE_INFINITY },
      );
  }

  /** The nickname of an account's owner. Rejects with an IrcFailure if they cannot be found. */
  async nickOf(account: string, link: Link, { signal }: CallOptions): Promise<string> {
    const known = this.#known.get(account);
    const freshMs = known !== undefined && link.members.isPresent(known.nick) ? FRESH_IN_SIGHT_MS : FRESH_OUT_OF_SIGHT_MS;
    if (known !== undefined && this.#host.clock.monotonic() - known.atMs < freshMs) return known.nick;
    const stored = known === undefined ? await this.#host.state.get(keyOf(account)) : undefined;
    const last = known?.nick ?? (stored?.type === "json" && typeof stored.json === "string" ? stored.json : undefined);
    for (const nick of new Set(last === undefined ? [account] : [last, account])) {
      await link.session.limiter.take({ signal });
      const owner = await whois(nick, link, signal);
      if (owner === undefined || link.session.facts.fold(owner) !== account) continue;
      this.#known.set(account, { nick, atMs: this.#host.clock.monotonic(), storedAtMs: Number.NEGATIVE_INFINITY });
      return nick;
    }
    throw refusalFailure("401", `nobody is logged in as ${account} under a nickname that is known here`);
  }
}

function keyOf(account: string): string {
  return `nick/${account}`;
}

/** The account under which a nickname is logged in; `undefined` if it is not, or is not there. */
async function whois(nick: string, { session }: Link, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  let account: string | undefined;
  const isAbout = (name: string | undefined): boolean => session.facts.fold(name ?? "") === session.facts.fold(nick);
  using _listening = session.listen(({ command, params }) => {
    if (!isAbout(params[1])) return;
    if (command === "330") account = params[2];
    if (command === "318" || command === "401") resolve(account);
  });
  using _ending = session.onEnd(reject);
  const onAbort = (): void =>
    reject(new IrcFailure({ type: "unreachable" }, "the send was ended before it left", { cause: signal.reason }));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  session.write("WHOIS", [nick]);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
