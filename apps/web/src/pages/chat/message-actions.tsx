import { Link } from "@tanstack/react-router";
import type { ChatItem } from "../../chat/chat-items.ts";
import { formatClock, formatMoment } from "../../app/locale.ts";
import { useOpenSubagent } from "./subagents/use-subagents.ts";
import { useController } from "../../app/app-context.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { t } from "../../i18n/t.ts";

/** Below an answer: its time of day, and a button that copies it as Markdown. Empty while it is written. */
export function AnswerActions({ item }: { readonly item: Extract<ChatItem, { type: "answer" }> }): React.JSX.Element | null {
  if (item.live || item.timestampMs === undefined) return null;
  return (
    <div className="message-actions">
      <time className="time" dateTime={new Date(item.timestampMs).toISOString()} title={formatMoment(item.timestampMs)}>
        {formatClock(item.timestampMs)}
      </time>
      <CopyButton text={() => item.text} what={t("answer")} />
      {item.entryId === undefined ? null : (
        <Link to="/trace/$id" params={{ id: item.entryId }} search={{ by: "entry" }} className="text-button">
          {t("Trace")}
          <span className="sr-only"> {t("of the answer")}</span>
        </Link>
      )}
    </div>
  );
}

/** Below a message of the person: buttons to copy it, and to put it into the message field for editing. */
export function UserActions({ item }: { readonly item: Extract<ChatItem, { type: "user" }> }): React.JSX.Element | null {
  const controller = useController();
  // The messages to a sub-agent are not the person's own.
  const isSubagent = useOpenSubagent() !== undefined;
  if (item.text === "") return null;
  return (
    <div className="message-actions quiet">
      <CopyButton text={() => item.text} what={t("message")} />
      {isSubagent ? null : (
        <button type="button" className="text-button" onClick={() => controller.editAgain(item.text)}>
          {t("Edit")}
          <span className="sr-only"> {t("message")}</span>
        </button>
      )}
    </div>
  );
}
