import type { IrcLine } from "./irc-line.ts";
import type { NetworkFacts } from "./network-facts.ts";

interface Person {
  readonly nick: string;
  /** Folded; `undefined` while it is unknown or the person is not logged in. */
  account: string | undefined;
  readonly channels: Set<string>;
}

/** Numeric of the answers to our own WHO. */
export const WHOX_TOKEN = "152";

/**
 * The people in our channels, by what the server tells: who they are, and, on networks that announce logins to members, their accounts. A person who leaves the
 * last common channel is forgotten, since the server no longer tells when the nickname goes to somebody else.
 */
export class Members {
  readonly #facts: NetworkFacts;
  readonly #people = new Map<string, Person>();

  constructor(facts: NetworkFacts) {
    this.#facts = facts;
  }

  /** The nickname as its owner writes it, if it is in the channel. */
  nickIn(channel: string, nick: string): string | undefined {
    const person = this.#people.get(this.#facts.fold(nick));
    return person?.channels.has(this.#facts.fold(channel)) === true ? person.nick : undefined;
  }

  /** True if the nickname is in one of our channels, so that the server tells when it changes hands. */
  isPresent(nick: string): boolean {
    return this.#people.has(this.#facts.fold(nick));
  }

  /** Everybody in our channels, ourselves included, by nickname and, where it is known, account. */
  get all(): readonly { readonly nick: string; readonly account: string | undefined }[] {
    return [...this.#people.values()];
  }

  /** The account of a nickname, folded. */
  accountOf(nick: string): string | undefined {
    return this.#people.get(this.#facts.fold(nick))?.account;
  }

  /** Learns from a line; `self` is our own nickname. */
  learn(line: IrcLine, self: string): void {
    const { command, params, nick } = line;
    const [first = "", second = ""] = params;
    switch (command) {
      case "JOIN":
        this.#enter(nick, first);
        if (params.length >= 3) this.#setAccount(nick, second);
        return;
      case "PART":
        return this.#leave(nick, first, self);
      case "KICK":
        return this.#leave(second, first, self);
      case "QUIT":
        return void this.#people.delete(this.#facts.fold(nick));
      case "NICK":
        return this.#rename(nick, first);
      case "ACCOUNT":
        return this.#setAccount(nick, first);
      case "353":
        for (const name of (params.at(-1) ?? "").split(" ")) this.#enter(this.#nickOf(name), params.at(-2) ?? "");
        return;
      case "354":
        if (second === WHOX_TOKEN) this.#setAccount(params[2] ?? "", params[3] ?? "");
        return;
    }
  }

  /** A name of a list: with marks of rank before it, and perhaps user and host behind it. */
  #nickOf(name: string): string {
    let start = 0;
    while (start < name.length && this.#facts.rankMarks.includes(name.charAt(start))) start += 1;
    return name.slice(start).split("!")[0] ?? "";
  }

  #enter(nick: string, channel: string): void {
    if (nick === "" || !this.#facts.isChannel(channel)) return;
    const key = this.#facts.fold(nick);
    const person = this.#people.get(key) ?? { nick, account: undefined, channels: new Set<string>() };
    person.channels.add(this.#facts.fold(channel));
    this.#people.set(key, person);
  }

  #leave(nick: string, channel: string, self: string): void {
    const gone = this.#facts.fold(channel);
    const isSelf = this.#facts.fold(nick) === this.#facts.fold(self);
    for (const [key, { channels }] of isSelf ? this.#people : [...this.#people].filter(([one]) => one === this.#facts.fold(nick))) {
      channels.delete(gone);
      if (channels.size === 0) this.#people.delete(key);
    }
  }

  #rename(from: string, to: string): void {
    const person = this.#people.get(this.#facts.fold(from));
    if (person === undefined) return;
    this.#people.delete(this.#facts.fold(from));
    this.#people.set(this.#facts.fold(to), { ...person, nick: to });
  }

  #setAccount(nick: string, account: string): void {
    const person = this.#people.get(this.#facts.fold(nick));
    if (person !== undefined) person.account = account === "*" || account === "0" || account === "" ? undefined : this.#facts.fold(account);
  }
}
