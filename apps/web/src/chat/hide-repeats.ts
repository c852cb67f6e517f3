import type { ChatItem } from "./chat-items.ts";

/** Hides messages that only repeat the failed one before: the person sees one message, why it failed, and the result of the retry. Rows keep their identity. */
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
