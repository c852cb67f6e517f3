import type { ChatItem } from "../chat/chat-items.ts";
import { formatMoment } from "../app/locale.ts";
import { useController } from "./app-context.ts";
import { CopyButton } from "./copy-button.tsx";

/** Under an answer: when it was given, and a button that copies it as Markdown. Nothing while it is written. */
export function AnswerActions({ item }: { readonly item: Extract<ChatItem, { type: "answer" }> }): React.JSX.Element | null {
  if (item.live || item.timestampMs === undefined) return null;
  return (
    <div className="message-actions">
      <time className="time" dateTime={new Date(item.timestampMs).toISOString()}>
        {formatMoment(item.timestampMs)}
      </time>
      <CopyButton text={item.text} what="answer" />
    </div>
  );
}

/** Under a message of the person: it can be copied, or put into the message field and said in another way. */
export function UserActions({ item }: { readonly item: Extract<ChatItem, { type: "user" }> }): React.JSX.Element | null {
  const controller = useController();
  if (item.text === "") return null;
  return (
    <div className="message-actions quiet">
      <CopyButton text={item.text} what="message" />
      <button type="button" className="text-button" onClick={() => controller.editAgain(item.text)}>
        Edit<span className="sr-only"> message</span>
      </button>
    </div>
  );
}
