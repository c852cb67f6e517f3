import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, PlatformFailure } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";

/** Failures of the platform itself, after which a part of the request may have been done. */
const MAYBE_DONE = ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"];

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

const CODE_OF: Readonly<Record<string, ChannelErrorCode>> = Object.fromEntries(
  Object.entries(CODES).flatMap(([code, errors]) => errors.map((error) => [error, code as ChannelErrorCode] as const)),
);

const classifier: ErrorClassifier = createErrorClassifier({
  codes: CODE_OF,
  maybeDone: MAYBE_DONE,
  // The platform refuses with codes and status 200; other statuses are those of servers in between, which know nothing of accounts.
  statuses: { 413: "too-long", 429: "rate-limited" },
});

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;
export const toLookupFailure: ErrorClassifier["toLookupFailure"] = classifier.toLookupFailure;
export const mayBeDone: ErrorClassifier["mayBeDone"] = classifier.mayBeDone;

/** The platform's own code of a refusal; `undefined` for any other failure. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof PlatformFailure && error.reason.type === "refused" ? error.reason.code : undefined;
}

/** The scopes of which the app needs one, as the platform lists them in a refusal for `missing_scope`. */
export function scopesOf(needed = ""): readonly string[] {
  return needed.split(",").filter((scope) => /^[\w:.-]{1,80}$/.test(scope));
}
