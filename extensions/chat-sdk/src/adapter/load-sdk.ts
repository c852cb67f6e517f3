import type * as chat from "chat";

/** The parts of the Chat SDK that the channel calls itself. */
export type ChatSdk = Pick<typeof chat, "defaultEmojiResolver" | "parseMarkdown" | "stringifyMarkdown" | "toPlainText">;

/** Loads the Chat SDK with the first call, never by an import of this package. */
export async function loadSdk(): Promise<ChatSdk> {
  return import("chat");
}
