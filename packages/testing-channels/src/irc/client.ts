import type { Socket } from "node:net";
import { formatTags } from "./line.ts";

/** Bytes of a line with its line end, as the protocol limits them. */
export const MAX_LINE_BYTES = 512;

/** A connection of a real client. */
export class IrcClient {
  readonly socket: Socket;
  readonly caps: Set<string> = new Set();
  nick = "*";
  user = "";
  host = "client.example";
  account: string | undefined;
  password: string | undefined;
  registered = false;
  negotiating = false;
  /** Reads nothing and answers nothing any more, as a host that lost its network. */
  silent = false;
  /** Flood penalty: the moment until which its lines are paid for. */
  paidUntilMs = 0;
  /** Answers that a test holds back; `undefined` while none are. */
  held: string[] | undefined;
  #pending = "";

  constructor(socket: Socket) {
    this.socket = socket;
  }

  get mask(): string {
    return `${this.nick}!${this.user}@${this.host}`;
  }

  has(cap: string): boolean {
    return this.caps.has(cap);
  }

  /** The complete lines of what has arrived. */
  linesOf(chunk: Buffer): string[] {
    const parts = (this.#pending + chunk.toString("latin1")).split("\n");
    this.#pending = parts.pop() ?? "";
    return parts.map((part) => part.replace(/\r$/, ""));
  }

  /** Sends a line with the tags that the client has asked for. Like a server, cuts what is over the limit. */
  send(line: string, tags: Readonly<Record<string, string | undefined>> = {}): void {
    if (this.silent || this.socket.destroyed) return;
    const allowed = Object.fromEntries(Object.entries(tags).filter(([key]) => this.#mayHave(key)));
    const bytes = Buffer.from(line, "utf8").subarray(0, MAX_LINE_BYTES - 2);
    const whole = `${Buffer.from(formatTags(allowed), "utf8").toString("latin1")}${bytes.toString("latin1")}\r\n`;
    if (this.held === undefined) this.socket.write(whole, "latin1");
    else this.held.push(whole);
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    if (!this.socket.destroyed) for (const line of held) this.socket.write(line, "latin1");
  }

  #mayHave(tag: string): boolean {
    switch (tag) {
      case "time":
        return this.has("server-time");
      case "account":
        return this.has("account-tag");
      case "label":
        return this.has("labeled-response");
      default:
        return this.has("message-tags");
    }
  }
}
