import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, PlatformFailure } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";
import * as z from "zod";

/** What the platform's codes mean. Others are classified by the status. */
const CODES: Readonly<Record<string, ChannelErrorCode>> = {
  // Unknown channel, server, member, message, user, emoji, webhook, interaction, role.
  ...Object.fromEntries(
    ["10003", "10004", "10007", "10008", "10013", "10014", "10015", "10062", "10011"].map((code) => [code, "not-found"]),
  ),
  // The token of an interaction has expired; the account's own is another.
  "50027": "not-found",
  // No access, no permission, closed direct messages, an archived or locked thread, a message of somebody else, verification.
  ...Object.fromEntries(
    ["20009", "40001", "40333", "50001", "50003", "50005", "50007", "50013", "50083", "160002"].map((code) => [code, "forbidden"]),
  ),
  "40005": "too-long",
  "20016": "rate-limited",
  "20022": "rate-limited",
  "20028": "rate-limited",
  "40062": "rate-limited",
  "429": "rate-limited",
};

/** Refusals because of a permission, which an administrator can grant. */
const PERMISSION_CODES: readonly string[] = ["50001", "50013"];
const TOO_LONG = new Set(["BASE_TYPE_MAX_LENGTH", "MAX_ATTACHMENTS_SIZE_EXCEEDED", "BASE_TYPE_BAD_LENGTH", "LIST_ITEM_VALUE_MAX_LENGTH"]);

/** Status and body of a refusal. */
interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs?: number | undefined;
}

const BodySchema = z.looseObject({
  code: z.number().int().default(0),
  message: z.string().default(""),
  errors: z.unknown().optional(),
  retry_after: z.number().nonnegative().optional(),
});

const classifier: ErrorClassifier = createErrorClassifier({
  codes: { ...CODES, "too-long": "too-long" },
});

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;
export const toLookupFailure: ErrorClassifier["toLookupFailure"] = classifier.toLookupFailure;

/** A response with an error of the platform, or of a server in between. */
export function toFailure(what: string, { status, body, retryAfterMs }: Refusal): PlatformFailure {
  const parsed = BodySchema.safeParse(body);
  const delayMs = parsed.data?.retry_after === undefined ? retryAfterMs : Math.ceil(parsed.data.retry_after * 1_000);
  const delay = delayMs === undefined ? {} : { retryAfterMs: delayMs };
  if (status === 429) return new PlatformFailure({ type: "refused", code: "429", status, ...delay }, "Discord's rate limit is reached");
  if (!parsed.success || status >= 500) return new PlatformFailure({ type: "http", status, ...delay }, `HTTP ${status}`);
  const { code, message, errors } = parsed.data;
  const detail = detailOf(errors);
  const own = detail !== undefined && TOO_LONG.has(detail.code) ? "too-long" : String(code);
  const where = detail === undefined ? "" : ` (${detail.path}: ${detail.code})`;
  return new PlatformFailure(
    { type: "refused", code: own, status, ...delay, ...(PERMISSION_CODES.includes(own) && { scopes: [] }) },
    // Code 0 says nothing: the message has the status.
    `Discord refused ${what}: ${code === 0 ? "" : `${code} `}${message.slice(0, 120)}${where}${advice(status, code)}`,
  );
}

/** True for a refusal with one of the platform's codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof PlatformFailure && error.reason.type === "refused" && codes.includes(error.reason.code);
}

/** True if another attempt of a read would fail in the same way. */
export function isFinal(error: unknown): boolean {
  return toChannelError(error).retry.type === "never";
}

/** The first field that the platform complains about. Its texts can contain a part of a message and are left out. */
function detailOf(errors: unknown, path: readonly string[] = []): { readonly path: string; readonly code: string } | undefined {
  if (typeof errors !== "object" || errors === null || path.length > 10) return undefined;
  for (const [key, value] of Object.entries(errors)) {
    if (key === "_errors" && Array.isArray(value)) {
      const code = (value[0] as { readonly code?: unknown } | undefined)?.code;
      return { path: path.join("."), code: typeof code === "string" ? code.slice(0, 60) : "invalid" };
    }
    const inner = detailOf(value, [...path, key.slice(0, 40)]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function advice(status: number, code: number): string {
  if (status === 401 && code !== 50_027)
    return "; the token is wrong or was reset: copy the present one from the Developer Portal, page Bot";
  if (code === 50_001) return "; the bot does not see this channel: give it the permission View Channel";
  if (code === 50_013) return "; the bot lacks a permission here: see the list of permissions in its guide";
  if (code === 50_007) return "; the person takes no direct messages from this bot";
  return "";
}
