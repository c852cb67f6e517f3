import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, PlatformFailure } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";

/** A refusal of the platform. */
export class TelegramRefusal extends PlatformFailure {
  /** The platform's reason, lower case, without the name of the status. */
  readonly description: string;
  /** Where the conversation went, if the group has become a supergroup. */
  readonly migratedTo: string | undefined;

  constructor(input: {
    readonly method: string;
    readonly status: number;
    readonly description: string;
    readonly retryAfterMs?: number | undefined;
    readonly migratedTo?: string | undefined;
  }) {
    const { method, status, retryAfterMs } = input;
    const description = withoutQuotes(input.description);
    const code = codeOf(status, description);
    super(
      { type: "refused", code, status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
      `Telegram refused ${method}: ${status} ${description}${advice(status, description)}`,
    );
    this.description = description.toLowerCase();
    this.migratedTo = input.migratedTo;
  }
}

/** What descriptions say, first match first. The platform has no other codes than HTTP statuses. */
const MEANINGS: readonly (readonly [RegExp, ChannelErrorCode])[] = [
  [/^not found$/i, "unauthorized"],
  [/too long|too_long|too big|too large|caption_too_long/i, "too-long"],
  [
    /not enough rights|no rights|admin_required|write_forbidden|send_\w+_forbidden|topic_closed|can't be (?:edited|deleted)|not a member/i,
    "forbidden",
  ],
  [
    /not found|message_id_invalid|message_thread_invalid|peer_id_invalid|chat_id is empty|topic_deleted|user_id_invalid|temporarily unavailable/i,
    "not-found",
  ],
];

const STATUSES: Readonly<Record<number, ChannelErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "unreachable",
  413: "too-long",
  429: "rate-limited",
};

const CODES = ["unauthorized", "forbidden", "not-found", "rate-limited", "too-long", "rejected", "unreachable"] as const;

const classifier: ErrorClassifier = createErrorClassifier({
  codes: Object.fromEntries(CODES.map((code) => [code, code])),
  // The platform's answers have codes of their own; other statuses are those of servers in between, which know nothing of bots.
  statuses: { 413: "too-long", 429: "rate-limited" },
});

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;

/** True for a refusal whose description matches. */
export function isRefusal(error: unknown, pattern: RegExp): error is TelegramRefusal {
  return error instanceof TelegramRefusal && pattern.test(error.description);
}

function codeOf(status: number, description: string): ChannelErrorCode | "" {
  // The classifier takes the status of failures of the platform itself: the request may have been carried out.
  if (status >= 500) return "";
  const reason = description.replace(/^Bad Request: /, "");
  const meaning = status === 400 || status === 404 ? MEANINGS.find(([pattern]) => pattern.test(reason))?.[1] : undefined;
  return meaning ?? STATUSES[status] ?? "rejected";
}

function advice(status: number, description: string): string {
  if (status === 401 || /^not found$/i.test(description)) return "; the token is wrong or was revoked: get the present one from @BotFather";
  if (status === 409 && /webhook/i.test(description)) return "; another program has registered a webhook with this token";
  if (status === 409) return "; another program polls with this token: stop it, or revoke the token at @BotFather";
  if (/file is too big/i.test(description)) return "; Telegram gives files of at most 20 MB to bots";
  return "";
}

/** What the platform quotes can be a part of a message. */
function withoutQuotes(description: string): string {
  return description.replaceAll(/"[^"]*"/g, '"…"').slice(0, 200);
}
