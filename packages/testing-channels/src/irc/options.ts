/** How a server behaves. */
export interface FakeIrcOptions {
  /** Offered capabilities; all that the server knows by default. */
  readonly caps?: readonly string[];
  /** Password of the server; none by default. */
  readonly password?: string;
  /** Accounts of the services with their passwords. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Each line costs `penaltyMs`; a client that is more than `maxMs` ahead is killed. By default 2,000 and 10,000, as in RFC 1459. */
  readonly flood?: { readonly penaltyMs: number; readonly maxMs: number };
  /** Longest nickname; 30 by default. */
  readonly nickLength?: number;
  /** Certificate and key of TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Address to listen on; 127.0.0.1 by default. */
  readonly address?: string;
  /** Further ISUPPORT tokens. */
  readonly isupport?: readonly string[];
}

/** What happens to the next message of a client. */
export type IrcFault =
  /** Shown; the connection breaks before the server answers. */
  | { readonly type: "answer-lost" }
  /** Shown; the server answers with bytes that are no line of the protocol, and the connection ends. */
  | { readonly type: "answer-unreadable" }
  /** Shown; answers wait for `release`. */
  | { readonly type: "held" }
  /** The connection breaks; nothing is shown. */
  | { readonly type: "dropped" }
  /** Refused with a numeric. `text` is its explanation. */
  | { readonly type: "numeric"; readonly code: string; readonly text: string };

/** A message as its recipients see it. */
export interface IrcMessage {
  readonly id: string;
  readonly from: string;
  readonly target: string;
  readonly text: string;
  readonly command: "PRIVMSG" | "NOTICE";
  readonly atMs: number;
}

/** A person on the network, played by the test. */
export interface IrcUser {
  nick: string;
  account: string | undefined;
  readonly mask: string;
  readonly isBot: boolean;
}

/** Capabilities that the server knows. */
export const KNOWN_CAPS: readonly string[] = [
  "account-notify",
  "account-tag",
  "batch",
  "echo-message",
  "extended-join",
  "labeled-response",
  "message-tags",
  "multi-prefix",
  "sasl",
  "server-time",
  "userhost-in-names",
];
