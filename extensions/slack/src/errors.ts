import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, Retry, SendReceipt } from "@factotum/channel-contract";
import type { LookupFailure } from "@factotum/channel-kit";

/** Why a request to the platform failed. */
export type SlackFailureReason =
  /** The platform refused it, with its own code. `needed` are the scopes of which one would do. */
  | { readonly type: "refused"; readonly error: string; readonly needed?: string }
  /** Too many requests of this method; nothing was done. */
  | { readonly type: "rate-limited"; readonly retryAfterMs?: number }
  /** A response without the platform's JSON. */
  | { readonly type: "http"; readonly status: number }
  /** The request could not be made: a wrong argument, a bug. The next try would fail the same way. */
  | { readonly type: "local" }
  /** The request did not leave. */
  | { readonly type: "not-sent" }
  /** The request was sent; there was no readable response. */
  | { readonly type: "no-answer" };

/** Thrown by every failed request to the platform. Its message contains no secret. */
export class SlackFailure extends Error {
  readonly reason: SlackFailureReason;

  constructor(reason: SlackFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SlackFailure";
    this.reason = reason;
  }
}

const NEVER: Retry = { type: "never" };
const BACKOFF: Retry = { type: "backoff" };

/** Failures of the platform itself, after which a part of the request may have been done. */
const MAYBE_DONE = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"]);

const CODES: Readonly<Record<ChannelErrorCode, readonly string[]>> = {
  unauthorized: [
    ..."invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type org_login_required".split(" "),
    ..."user_removed_from_team team_disabled app_uninstalled two_factor_setup_required ekm_access_denied_for_app".split(" "),
  ],
  forbidden: [
    ..."not_in_channel is_archived missing_scope no_permission access_denied team_access_not_granted ekm_access_denied".split(" "),
    ..."restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel user_not_in_channel".split(" "),
    ..."restricted_action_non_threadable_channel restricted_action_thread_locked posting_to_channel_denied".split(" "),
    ..."cant_update_message cant_delete_message edit_window_closed compliance_exports_prevent_deletion".split(" "),
    ..."cannot_dm_bot user_disabled messages_tab_disabled channel_type_not_supported method_not_supported_for_channel_type".split(" "),
    ..."user_is_restricted file_uploads_disabled slack_connect_file_upload_sharing_blocked permission_denied".split(" "),
    ..."message_not_owned_by_app not_pinnable is_inactive as_user_not_supported".split(" "),
  ],
  "not-found": [
    ..."channel_not_found message_not_found user_not_found users_not_found thread_not_found file_not_found file_deleted".split(" "),
    ..."no_item_specified bad_timestamp invalid_thread_ts user_not_visible invalid_channel invalid_ts_latest".split(" "),
  ],
  "too-long": "msg_too_long msg_blocks_too_long metadata_too_large file_too_large storage_limit_reached over_file_size_limit".split(" "),
  "rate-limited": "ratelimited rate_limited accesslimited message_limit_exceeded too_many_reactions_per_minute".split(" "),
  rejected: [],
  unreachable: [],
};

const CODE_OF: ReadonlyMap<string, ChannelErrorCode> = new Map(
  Object.entries(CODES).flatMap(([code, errors]) => errors.map((error) => [error, code as ChannelErrorCode] as const)),
);

/** The platform's own code of a refusal; `undefined` for any other failure. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof SlackFailure && error.reason.type === "refused" ? error.reason.error : undefined;
}

/** The scopes of which the app needs one; empty when the platform does not name them. `undefined` for any other failure. */
function missingScopes(error: unknown): readonly string[] | undefined {
  if (!(error instanceof SlackFailure) || error.reason.type !== "refused" || error.reason.error !== "missing_scope") return undefined;
  return (error.reason.needed ?? "").split(",").filter((scope) => /^[\w:.-]{1,80}$/.test(scope));
}

/** Maps an error for `start`, `act`, `fetchAttachment`, `resolveTarget` and the optional methods. */
export function toChannelError(error: unknown): ChannelError {
  if (ChannelError.isInstance(error)) return error;
  if (!(error instanceof SlackFailure)) {
    return new ChannelError("rejected", error instanceof Error ? error.message : "the call failed", { retry: NEVER, cause: error });
  }
  const [code, retry] = classify(error.reason);
  return new ChannelError(code, error.message, { retry, cause: error });
}

/** Maps an error of a cached lookup. */
export function toLookupFailure(error: unknown): LookupFailure {
  const { code, retry, message } = toChannelError(error);
  return { code, retry, message, missingScopes: missingScopes(error) };
}

/** Maps an error of a send. A request without a readable response is ambiguous, and so is a failure of the platform itself. */
export function toReceipt(error: unknown): SendReceipt {
  if (error instanceof SlackFailure && mayBeDone(error.reason)) return { type: "ambiguous", cause: error.message };
  const { code, retry, message } = toChannelError(error);
  return { type: "rejected", code, retry, message };
}

/** True if nothing tells whether the request was carried out. */
export function mayBeDone(reason: SlackFailureReason): boolean {
  return (
    reason.type === "no-answer" ||
    (reason.type === "http" && reason.status >= 500) ||
    (reason.type === "refused" && MAYBE_DONE.has(reason.error))
  );
}

function classify(reason: SlackFailureReason): readonly [ChannelErrorCode, Retry] {
  switch (reason.type) {
    case "local":
      return ["rejected", NEVER];
    case "not-sent":
    case "no-answer":
      return ["unreachable", BACKOFF];
    case "rate-limited":
      return ["rate-limited", reason.retryAfterMs === undefined ? BACKOFF : { type: "after", delayMs: reason.retryAfterMs }];
    case "http":
      if (reason.status === 413) return ["too-long", NEVER];
      return reason.status >= 500 ? ["unreachable", BACKOFF] : ["rejected", NEVER];
    case "refused": {
      if (MAYBE_DONE.has(reason.error)) return ["unreachable", BACKOFF];
      const code = CODE_OF.get(reason.error) ?? "rejected";
      return [code, code === "rate-limited" ? BACKOFF : NEVER];
    }
  }
}
