import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, errorCodeOf, networkFailureOf, PlatformFailure } from "@factotum/channel-kit";
import type { ErrorClassifier, PlatformFailureReason } from "@factotum/channel-kit";
import type { KnownAdapter } from "./known-adapters.ts";

const CODES = ["unauthorized", "forbidden", "not-found", "rate-limited", "too-long", "rejected", "unreachable"] as const;

const classifier: ErrorClassifier = createErrorClassifier({ codes: Object.fromEntries(CODES.map((code) => [code, code])) });

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;

/** Codes of the SDK's errors that say why. They are compared by value: an adapter has a copy of the classes of its own. */
const MEANINGS: Readonly<Record<string, ChannelErrorCode>> = {
  AUTH_FAILED: "unauthorized",
  PERMISSION_DENIED: "forbidden",
  NOT_FOUND: "not-found",
  VALIDATION_ERROR: "rejected",
  NOT_IMPLEMENTED: "rejected",
};

const MAX_MESSAGE_LENGTH = 200;

/** The failure that an error of an adapter reports. Its message has no quoted text, which may be a part of a message. */
export function toFailure(error: unknown, known: KnownAdapter | undefined): PlatformFailure {
  if (error instanceof PlatformFailure) return error;
  const { message = "the call failed" } = (error ?? {}) as { readonly message?: string };
  const reason = reasonOf(error, message, known);
  return new PlatformFailure(reason, `${printable(message)}${advice(error, reason)}`, { cause: error });
}

function advice(error: unknown, reason: PlatformFailureReason): string {
  if (reason.type === "refused" && reason.code === "unauthorized")
    return "; the platform refuses the credential in options: replace it, and restart the gateway";
  const { originalError } = (error ?? {}) as { readonly originalError?: unknown };
  const code = errorCodeOf(originalError ?? error);
  return /^[A-Z_]+$/.test(code) && originalError !== undefined ? ` (${code})` : "";
}

/** The first line of a message, without what it quotes. */
export function printable(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replaceAll(/"[^"]*"/g, '"…"').slice(0, MAX_MESSAGE_LENGTH);
}

function reasonOf(error: unknown, message: string, known: KnownAdapter | undefined): PlatformFailureReason {
  const { code, status, retryAfter, retryAfterMs, originalError } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (code === "RATE_LIMITED") {
    const delayMs = typeof retryAfterMs === "number" ? retryAfterMs : typeof retryAfter === "number" ? retryAfter * 1_000 : undefined;
    return { type: "refused", code: "rate-limited", ...(delayMs !== undefined && { retryAfterMs: delayMs }) };
  }
  if (code === "NETWORK_ERROR") return networkReason(originalError);
  const meaning = typeof code === "string" && Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  if (meaning !== undefined) {
    const isExact = meaning === "unauthorized" || meaning === "forbidden";
    const special = isExact ? undefined : known?.refusals.find(([pattern]) => pattern.test(message))?.[1];
    return { type: "refused", code: special ?? meaning };
  }
  if (typeof status === "number" && status >= 400 && status < 600) return { type: "http", status };
  const reason = networkReason(error);
  // A fault of the adapter itself: it may have come after the request, over an answer that it did not expect.
  return reason.type === "local" ? { type: "no-answer" } : reason;
}

/** Without the error of the connection, the request may have been carried out. */
function networkReason(error: unknown): PlatformFailureReason {
  const failure = networkFailureOf(error);
  return { type: failure === "unknown" ? "no-answer" : failure };
}
