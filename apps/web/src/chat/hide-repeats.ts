import type { ChatItem } from "./chat-items.ts";

/**
 * The rows of a conversation without messages that only say again what has failed just before: the person sees one message, why it failed, and what came of
 * the next try. Rows keep their identity.
 */
export function hideRepeats(items: readonly ChatItem[]): readonly ChatItem[] {
  let said: string | undefined;
  let hasFailed = false;
  return items.filter((item) => {
    if (item.type === "user") {
      const isRepeat = hasFailed && item.text !== "" && item.text === said;
      said = item.text;
      hasFailed = false;
      return !isRepeat;
    }
    if (item.type === "answer") said = undefined;
    else if (item.type === "answer-end" || (item.type === "notice" && item.level !== "info")) hasFailed = true;
    return true;
  });
}
