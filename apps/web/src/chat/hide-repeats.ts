import type { ChatItem } from "./chat-items.ts";

/**
 * Hides messages that only repeat the failed or stopped one before: the person sees one message, why it failed, and the result of the retry. Rows keep their
 * identity.
 */
export function hideRepeats(items: readonly ChatItem[]): readonly ChatItem[] {
  let lastText: string | undefined;
  let hasFailed = false;
  /** An info notice after a tool may be about the tool. */
  let hasUsedTool = false;
  return items.filter((item) => {
    switch (item.type) {
      case "user": {
        const isRepeat = hasFailed && item.text !== "" && item.text === lastText;
        // Commands are answered by notices.
        lastText = item.text.startsWith("/") ? undefined : item.text;
        hasFailed = false;
        hasUsedTool = false;
        return !isRepeat;
      }
      case "answer":
        lastText = undefined;
        break;
      case "tool":
        hasUsedTool = true;
        hasFailed ||= item.status === "stopped";
        break;
      case "answer-end":
        hasFailed = true;
        break;
      case "notice":
        hasFailed ||= item.level !== "info" || !hasUsedTool;
        break;
      case "thinking":
        break;
    }
    return true;
  });
}
