import type { IrcLine } from "./irc-line.ts";

/** What the server announced about itself (ISUPPORT), and the capabilities in force. */
export class NetworkFacts {
  readonly #tokens = new Map<string, string>();
  readonly #caps: () => readonly string[];

  /** `caps` gives the capabilities that are in force. */
  constructor(caps: () => readonly string[] = () => []) {
    this.#caps = caps;
  }

  hasCap(name: string): boolean {
    return this.#caps().includes(name);
  }

  /** Learns from the numeric 005. */
  learn({ params }: Pick<IrcLine, "params">): void {
    for (const token of params.slice(1, -1)) {
      const [name = "", ...value] = token.split("=");
      if (name.startsWith("-")) this.#tokens.delete(name.slice(1).toUpperCase());
      else this.#tokens.set(name.toUpperCase(), value.join("="));
    }
  }

  has(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Folds a name by the server's case mapping, so that equal names are equal texts. */
  fold(name: string): string {
    const mapping = this.#tokens.get("CASEMAPPING")?.toLowerCase() ?? "rfc1459";
    const ascii = name.replace(/[A-Z]/g, (char) => char.toLowerCase());
    if (mapping === "rfc1459") return ascii.replaceAll("[", "{").replaceAll("]", "}").replaceAll("\\", "|").replaceAll("~", "^");
    if (mapping === "rfc1459-strict" || mapping === "strict-rfc1459")
      return ascii.replaceAll("[", "{").replaceAll("]", "}").replaceAll("\\", "|");
    return mapping === "ascii" ? ascii : name.toLowerCase();
  }

  isChannel(name: string): boolean {
    const types = this.#tokens.get("CHANTYPES") ?? "#&";
    return name !== "" && types.includes(name.charAt(0));
  }

  /** True for a channel, or a part of its members (`@#channel`). */
  isGroupTarget(target: string): boolean {
    const prefixes = this.#tokens.get("STATUSMSG") ?? "";
    return this.isChannel(target) || (target !== "" && prefixes.includes(target.charAt(0)) && this.isChannel(target.slice(1)));
  }

  /** Marks of a member's rank in lists of names. */
  get rankMarks(): string {
    return /\)(.*)$/.exec(this.#tokens.get("PREFIX") ?? "(ov)@+")?.[1] ?? "";
  }

  /** Bytes that a text to `target` may have, so that nobody's copy of the line (with our name before it) is longer than 512 bytes. */
  textBytes(nick: string, target: string): number {
    const user = this.#number("USERLEN", 10) + 1;
    const host = this.#number("HOSTLEN", 63);
    const head = `:${nick}!`.length + user + 1 + host + " PRIVMSG ".length + Buffer.byteLength(target) + " :".length;
    return 510 - head;
  }

  #number(token: string, otherwise: number): number {
    const value = Number(this.#tokens.get(token));
    return Number.isSafeInteger(value) && value > 0 && value < 128 ? value : otherwise;
  }
}
