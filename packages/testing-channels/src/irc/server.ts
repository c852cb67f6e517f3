import type { IrcClient } from "./client.ts";
import type { IrcLine } from "./line.ts";
import type { IrcUser } from "./options.ts";

/** A channel: real clients, and people played by the test. */
export interface IrcChannel {
  readonly name: string;
  readonly clients: Set<IrcClient>;
  readonly users: Set<IrcUser>;
  key: string;
  /** Numeric with which a JOIN is refused. */
  refusal: string | undefined;
}

/** What the handlers of commands use of the server. */
export interface IrcServer {
  readonly name: string;
  readonly caps: readonly string[];
  readonly accounts: Readonly<Record<string, string>>;
  readonly channels: ReadonlyMap<string, IrcChannel>;
  numeric(client: IrcClient, code: string, params: readonly string[], text?: string): void;
  nickOwner(nick: string): IrcClient | IrcUser | undefined;
  membersOf(name: string): readonly { readonly nick: string; readonly account: string | undefined; readonly mask: string }[];
  changeNick(client: IrcClient, wanted: string): void;
  register(client: IrcClient): void;
  join(client: IrcClient, name: string, key: string): void;
  leave(client: IrcClient, name: string, line: string): void;
  relay(client: IrcClient, line: IrcLine): void;
  answerPing(client: IrcClient, token: string): void;
  ponged(client: IrcClient, token: string): void;
  end(client: IrcClient, reason: string): void;
}

/** Handles one command of a client. */
export type CommandHandler = (server: IrcServer, client: IrcClient, line: IrcLine) => void;
