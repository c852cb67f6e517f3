import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, Retry, SendReceipt } from "@factotum/channel-contract";

/** Why something failed on the network. */
export type IrcFailureReason =
  /** The server refuses the account: a wrong password, a ban. */
  | { readonly type: "unauthorized" }
  /** The server wants fewer connections. */
  | { readonly type: "throttled" }
  /** There is no connection, or it ended before anything was sent. */
  | { readonly type: "unreachable" }
  /** The server refused one message, with a numeric or a code. */
  | { readonly type: "refused"; readonly code: string; readonly delayMs?: number }
  /** Lines were sent and not confirmed. */
  | { readonly type: "unconfirmed" };

/** Thrown by everything that fails on the network. Its message contains no secret and no text of a message. */
export class IrcFailure extends Error {
  readonly reason: IrcFailureReason;

  constructor(reason: IrcFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "IrcFailure";
    this.reason = reason;
  }
}

const NEVER: Retry = { type: "never" };
const BACKOFF: Retry = { type: "backoff" };

const NUMERICS: Readonly<Record<string, ChannelErrorCode>> = {
  // No such nick, server, channel; was nobody
  401: "not-found",
  402: "not-found",
  403: "not-found",
  406: "not-found",
  // Cannot send to the channel or person: moderated, not a member, registered only, ignored
  404: "forbidden",
  408: "forbidden",
  442: "forbidden",
  477: "forbidden",
  482: "forbidden",
  486: "forbidden",
  494: "forbidden",
  531: "forbidden",
  716: "forbidden",
  // Too fast
  263: "rate-limited",
  439: "rate-limited",
  707: "rate-limited",
  417: "too-long",
};

/** True for a numeric that refuses a command. */
export function isRefusal(code: string): boolean {
  return /^[45]\d\d$/.test(code) || code in NUMERICS;
}

/** The failure for a refusal of the server. `text` is its explanation, which may have a delay. */
export function refusalFailure(code: string, text: string): IrcFailure {
  const seconds = /(\d{1,5}) ?s(?:ec|\b)/i.exec(text)?.[1];
  const delay = seconds === undefined ? {} : { delayMs: Number(seconds) * 1_000 };
  return new IrcFailure({ type: "refused", code, ...delay }, `the server refused it: ${code} ${printable(text)}`);
}

const BANNED = /\b(?:[kgzdr]-?lined?|akill(?:ed)?|autokill(?:ed)?|banned|not welcome|dnsbl|blacklist(?:ed)?|open proxy|bad password)\b/i;
const THROTTLED =
  /throttl|reconnect(?:ing|ed)? too|too (?:fast|many|quickly)|connection limit|clone|session limit|max(?:imum)? connections/i;

/** The failure for a connection that the server ended with this text. */
export function endFailure(text: string): IrcFailure {
  const type = THROTTLED.test(text) ? "throttled" : BANNED.test(text) ? "unauthorized" : "unreachable";
  return new IrcFailure({ type }, `the server ended the connection: ${printable(text)}`);
}

/** A text of the server, as it can stand in a log line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "").slice(0, 200);
}

/** Maps an error for everything but sends. */
export function toChannelError(error: unknown): ChannelError {
  if (ChannelError.isInstance(error)) return error;
  const [code, retry] = classify(error);
  return new ChannelError(code, error instanceof Error ? error.message : "the call failed", { retry, cause: error });
}

/** Maps an error of a send: what was sent without a confirmation may be shown. */
export function toReceipt(error: unknown): SendReceipt {
  if (error instanceof IrcFailure && error.reason.type === "unconfirmed") return { type: "ambiguous", cause: error.message };
  const [code, retry] = classify(error);
  return { type: "rejected", code, retry, message: error instanceof Error ? error.message : "the send failed" };
}

function classify(error: unknown): readonly [ChannelErrorCode, Retry] {
  if (!(error instanceof IrcFailure)) return ["rejected", NEVER];
  const { reason } = error;
  switch (reason.type) {
    case "unauthorized":
      return ["unauthorized", NEVER];
    case "throttled":
    case "unreachable":
    case "unconfirmed":
      return ["unreachable", BACKOFF];
    case "refused": {
      const code = NUMERICS[reason.code] ?? "rejected";
      if (code !== "rate-limited") return [code, NEVER];
      return [code, reason.delayMs === undefined ? BACKOFF : { type: "after", delayMs: reason.delayMs }];
    }
  }
}
