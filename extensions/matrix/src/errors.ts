import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, HTTP_STATUSES, parseJson, PlatformFailure, retryAfterMs } from "@factotum/channel-kit";
import type { ErrorClassifier, HttpAnswer } from "@factotum/channel-kit";
import * as z from "zod";

/** What the platform's codes mean. Others are classified by the status. */
const CODES: Readonly<Record<string, ChannelErrorCode>> = {
  M_UNKNOWN_TOKEN: "unauthorized",
  M_MISSING_TOKEN: "unauthorized",
  M_USER_DEACTIVATED: "unauthorized",
  M_USER_LOCKED: "unauthorized",
  M_USER_SUSPENDED: "unauthorized",
  M_CONSENT_NOT_GIVEN: "unauthorized",
  M_RESOURCE_LIMIT_EXCEEDED: "unauthorized",
  M_FORBIDDEN: "forbidden",
  M_GUEST_ACCESS_FORBIDDEN: "forbidden",
  M_NOT_FOUND: "not-found",
  M_TOO_LARGE: "too-long",
  M_LIMIT_EXCEEDED: "rate-limited",
  M_UNRECOGNIZED: "rejected",
};

const classifier: ErrorClassifier = createErrorClassifier({ codes: CODES, statuses: HTTP_STATUSES });

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;

const BodySchema = z.looseObject({
  errcode: z.string().regex(/^[A-Z0-9_.]{1,80}$/),
  retry_after_ms: z.number().nonnegative().optional(),
  soft_logout: z.boolean().default(false),
});

/** A response with an error of the homeserver, or of a server in front of it. Its own texts can quote what was sent and are left out. */
export function toFailure(what: string, { status, headers, bytes }: HttpAnswer): PlatformFailure {
  const body = BodySchema.safeParse(parseJson(bytes)).data;
  const delayMs = retryAfterMs(headers) ?? (body?.retry_after_ms === undefined ? undefined : Math.ceil(body.retry_after_ms));
  const delay = delayMs === undefined ? {} : { retryAfterMs: delayMs };
  if (body === undefined || status >= 500)
    return new PlatformFailure(
      { type: "http", status, ...delay },
      `${what}: HTTP ${status}${body === undefined ? strangerAdvice(status) : ""}`,
    );
  const { errcode: code } = body;
  const message = `${what}: ${code}${advice(code, body.soft_logout)}`;
  return new PlatformFailure({ type: "refused", code, status, ...delay }, message);
}

/** True if the platform refused with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof PlatformFailure && error.reason.type === "refused" && codes.includes(error.reason.code);
}

/** True for an answer that is larger than what is read. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof PlatformFailure && error.reason.type === "http" && error.reason.status === 413;
}

/** True if the platform said no for good: another attempt of a read would fail in the same way. */
export function isFinal(error: unknown): boolean {
  const { code, retry } = toChannelError(error);
  return retry.type === "never" && code !== "unauthorized";
}

/** Something that the platform has not, or an id of another form. */
export function notFound(message: string): PlatformFailure {
  return new PlatformFailure({ type: "refused", code: "M_NOT_FOUND", status: 404 }, message);
}

function advice(code: string, isSoftLogout: boolean): string {
  switch (code) {
    case "M_UNKNOWN_TOKEN":
      return isSoftLogout
        ? "; the bot's session has expired: log in again and replace the access token"
        : "; the access token is wrong or was revoked: log in again and replace it";
    case "M_MISSING_TOKEN":
      return "; there is no access token: set accessToken";
    case "M_USER_DEACTIVATED":
    case "M_USER_LOCKED":
    case "M_USER_SUSPENDED":
      return "; the bot's account is blocked: ask the administrator of the homeserver";
    case "M_CONSENT_NOT_GIVEN":
      return "; log in as the bot once and accept the terms of the homeserver";
    case "M_RESOURCE_LIMIT_EXCEEDED":
      return "; the homeserver takes no more users or data: ask its administrator";
    case "M_FORBIDDEN":
      return "; the bot is not in the room, or lacks the right there";
    case "M_LIMIT_EXCEEDED":
      return "; the homeserver's rate limit is reached";
    case "M_TOO_LARGE":
      return "; it is larger than the homeserver takes";
    default:
      return "";
  }
}

function strangerAdvice(status: number): string {
  if (status >= 300 && status < 400) return "; the address redirects: set homeserver to the address that it leads to";
  if (status === 404)
    return "; no Matrix homeserver is at this address: set homeserver to the base_url that https://SERVER/.well-known/matrix/client names";
  return "";
}
