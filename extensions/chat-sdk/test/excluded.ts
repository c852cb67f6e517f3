const UNSIGNED = "the platform authenticates itself by a secret, and signs neither body nor time";

/** Cases that `@chat-adapter/telegram` by webhook cannot show. */
export const EXCLUDED: Readonly<Record<string, string>> = {
  "webhook:tampered": UNSIGNED,
  "webhook:stale": UNSIGNED,
  "webhook:early": UNSIGNED,
  "inbound:event-id": "the adapter itself drops an update that it has handled: a second delivery does not reach the channel",
  "inbound:mention-other": "the Chat SDK does not say who is mentioned besides the bot",
};
