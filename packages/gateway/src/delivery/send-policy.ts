import type { Origin } from "@factotum/channel-contract";
import type { SessionConfig } from "@factotum/config";

/** Whether replies of a session may be sent: the session's own setting, then the first rule that denies, then the default. */
export function sendPolicy(
  policy: SessionConfig["sendPolicy"],
  query: { readonly override: "allow" | "deny" | undefined; readonly origin: Origin; readonly sessionKey: string },
): "allow" | "deny" {
  if (query.override !== undefined) return query.override;
  const matching = policy.rules.filter(
    ({ match }) =>
      (match.channel === undefined || match.channel === query.origin.channel) &&
      (match.chatType === undefined || match.chatType === query.origin.conversation.kind) &&
      (match.keyPrefix === undefined || query.sessionKey.startsWith(match.keyPrefix)),
  );
  if (matching.some((rule) => rule.action === "deny")) return "deny";
  return matching.length > 0 ? "allow" : policy.default;
}
