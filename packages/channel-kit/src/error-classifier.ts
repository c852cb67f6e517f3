import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, Retry, SendReceipt } from "@factotum/channel-contract";
import type { LookupFailure } from "./cached-lookup.ts";
import { failureLine } from "./failure-line.ts";
import { isLocalError } from "./is-local-error.ts";
import { PlatformFailure } from "./platform-failure.ts";
import type { PlatformFailureReason } from "./platform-failure.ts";

/** A platform's errors, as tables. */
export interface ErrorTables {
  /** What the platform's codes mean. A code without a row is classified by the status, else as `rejected`. */
  readonly codes: Readonly<Record<string, ChannelErrorCode>>;
  /** Codes of failures after which the request may have been carried out; `unreachable` for everything but sends. */
  readonly maybeDone?: readonly string[];
  /** What statuses under 500 mean, in place of `HTTP_STATUSES`. */
  readonly statuses?: Readonly<Record<number, ChannelErrorCode>>;
}

/** Maps the errors of one platform. Everything but a `PlatformFailure` and a `ChannelError` is a bug, and `rejected` for good. Of a send only a bug in this process is: another failure, such as a success that cannot be read, may have shown the message. */
export interface ErrorClassifier {
  /** For everything but sends. A `ChannelError` stays as it is. */
  readonly toChannelError: (error: unknown) => ChannelError;
  /** For sends. */
  readonly toReceipt: (error: unknown) => SendReceipt;
  /** For cached lookups. */
  readonly toLookupFailure: (error: unknown) => LookupFailure;
  /** True if it is unknown whether the request was carried out: no readable response, a status from 500, a code of `maybeDone`. */
  readonly mayBeDone: (error: unknown) => boolean;
}

/** What statuses under 500 mean; others are `rejected`. */
export const HTTP_STATUSES: Readonly<Record<number, ChannelErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  413: "too-long",
  429: "rate-limited",
};

/** Creates the classifier of one platform. */
export function createErrorClassifier({ codes, maybeDone = [], statuses = HTTP_STATUSES }: ErrorTables): ErrorClassifier {
  const ofStatus = (status: number): ChannelErrorCode => (status >= 500 ? "unreachable" : (statuses[status] ?? "rejected"));
  const isMaybeDone = (code: string): boolean => maybeDone.includes(code);
  const codeOf = (reason: PlatformFailureReason): ChannelErrorCode => {
    switch (reason.type) {
      case "local":
        return "rejected";
      case "not-sent":
      case "no-answer":
        return "unreachable";
      case "http":
        return ofStatus(reason.status);
      case "refused": {
        const own = Object.hasOwn(codes, reason.code) ? codes[reason.code] : undefined;
        return isMaybeDone(reason.code) ? "unreachable" : (own ?? ofStatus(reason.status ?? 400));
      }
    }
  };
  const mayBeDone = (error: unknown): boolean => {
    if (!(error instanceof PlatformFailure)) return !ChannelError.isInstance(error) && !isLocalError(error);
    const { reason } = error;
    if (reason.type === "no-answer") return true;
    if (reason.type === "http") return reason.status >= 500;
    return reason.type === "refused" && ((reason.status ?? 0) >= 500 || isMaybeDone(reason.code));
  };
  const toChannelError = (error: unknown): ChannelError => {
    if (ChannelError.isInstance(error)) return error;
    const message = messageOf(error);
    const code = error instanceof PlatformFailure ? codeOf(error.reason) : "rejected";
    return new ChannelError(code, message, { retry: retryOf(code, error), cause: error });
  };
  return {
    toChannelError,
    mayBeDone,
    toReceipt(error) {
      if (mayBeDone(error)) return { type: "ambiguous", cause: messageOf(error) };
      const { code, retry, message } = toChannelError(error);
      return { type: "rejected", code, retry, message };
    },
    toLookupFailure(error) {
      const { code, retry, message } = toChannelError(error);
      const reason = error instanceof PlatformFailure ? error.reason : undefined;
      return { code, retry, message, missingScopes: reason?.type === "refused" ? reason.scopes : undefined };
    },
  };
}

/** The delay that a response asks for, by the first of the headers it has, as a number of seconds; `undefined` without one. Milliseconds. */
export function retryAfterMs(headers: Headers, names: readonly string[] = ["retry-after"]): number | undefined {
  const value = names.map((name) => headers.get(name)).find((one) => one !== null);
  const seconds = Number(value === "" ? Number.NaN : (value ?? Number.NaN));
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : undefined;
}

/** The delay that a failure asks for, in milliseconds. */
export function delayOf(error: unknown): number | undefined {
  const reason = error instanceof PlatformFailure ? error.reason : undefined;
  return reason?.type === "http" || reason?.type === "refused" ? reason.retryAfterMs : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? failureLine(error) : "the call failed";
}

function retryOf(code: ChannelErrorCode, error: unknown): Retry {
  if (code !== "rate-limited" && code !== "unreachable") return { type: "never" };
  const delayMs = delayOf(error);
  return delayMs === undefined ? { type: "backoff" } : { type: "after", delayMs };
}
