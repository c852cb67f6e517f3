import { memo } from "react";
import { formatFullDay } from "../../app/locale.ts";
import type { ChatItem } from "../../chat/chat-items.ts";
import { planOf } from "../../chat/plan-of.ts";
import { isUndoOfEarlier } from "../../chat/undoable-turn.ts";
import type { DaySeparator } from "../../chat/day-separators.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { SpawnedRows } from "./subagents/spawned-rows.tsx";
import { AnswerActions, UserActions } from "./message-actions.tsx";
import { MessageFiles } from "./message-files.tsx";
import { Notice } from "./notice.tsx";
import { PlanList } from "./plan-list.tsx";
import { OwnMessageText } from "./own-message-text.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolCall } from "./tool-call.tsx";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";

/** One row of the conversation. */
export const ChatRow: React.NamedExoticComponent<{ readonly item: ChatItem | DaySeparator }> = memo(function ChatRow({
  item,
}: {
  readonly item: ChatItem | DaySeparator;
}) {
  switch (item.type) {
    case "user":
      return <UserMessage item={item} />;
    case "answer":
      return (
        <article className="answer" aria-label={t("Assistant")} data-entry={item.entryId}>
          <Markdown text={item.text} live={item.live} />
          <AnswerActions item={item} />
        </article>
      );
    case "thinking":
      return <Thinking text={item.text} live={item.live} />;
    case "tool": {
      const plan = planOf(item);
      return plan === undefined ? <ToolCall item={item} /> : <PlanList plan={plan} />;
    }
    case "spawns":
      return <SpawnedRows item={item} />;
    case "answer-end":
      return (
        <p className={`notice ${item.reason === "error" ? "error" : "info"}`}>
          {item.message === undefined ? t(END_WORDS[item.reason]) : gatewayText(item.message)}
        </p>
      );
    case "notice":
      return <Notice item={item} />;
    case "day":
      return (
        <p className="day">
          <time dateTime={new Date(item.timestampMs).toISOString()}>{formatFullDay(item.timestampMs)}</time>
        </p>
      );
  }
});

const END_WORDS = {
  aborted: msg("Stopped."),
  length: msg("The answer reached the model's length limit. Ask it to go on."),
  error: msg("The model failed. Try again, or choose another model with /model."),
};

function UserMessage({ item }: { readonly item: Extract<ChatItem, { type: "user" }> }): React.JSX.Element {
  const from = [item.sender, item.channel === "webchat" ? undefined : t("via {channel}", { channel: item.channel ?? "" })]
    .filter((part) => part !== undefined)
    .join(" ");
  return (
    <article className="said" aria-label={from === "" ? t("You") : from} data-entry={item.id}>
      {from === "" ? null : <div className="said-from">{from}</div>}
      <div className="bubble" dir="auto">
        <MessageFiles files={item.files} count={item.attachments ?? 0} />
        {isUndoOfEarlier(item.text) ? t("Undo the changes of an earlier answer") : <OwnMessageText text={item.text} />}
      </div>
      <UserActions item={item} />
    </article>
  );
}
