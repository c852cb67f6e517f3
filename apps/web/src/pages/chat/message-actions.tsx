import { Link } from "@tanstack/react-router";
import type { ChatItem } from "../../chat/chat-items.ts";
import { isUndoOfEarlier } from "../../chat/undoable-turn.ts";
import { formatClock, formatMoment } from "../../app/locale.ts";
import { useOpenSubagent } from "./subagents/use-subagents.ts";
import { useAppState, useController, useSession } from "../../app/app-context.ts";
import { renderPath } from "../../app/address.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { t } from "../../i18n/t.ts";
import { findRequest } from "./find-request.ts";
import { UndoEarlier } from "./undo-files.tsx";

/** Below an answer: its time of day, and what can be done with it. Empty while it is written. */
export function AnswerActions({ item }: { readonly item: Extract<ChatItem, { type: "answer" }> }): React.JSX.Element | null {
  const { branches } = useController();
  const isSubagent = useOpenSubagent() !== undefined;
  const { place } = item;
  if (item.live || item.timestampMs === undefined) return null;
  return (
    <div className="message-actions">
      <time className="time" dateTime={new Date(item.timestampMs).toISOString()} title={formatMoment(item.timestampMs)}>
        {formatClock(item.timestampMs)}
      </time>
      <CopyButton text={() => item.text} what={t("answer")} />
      {place === undefined || isSubagent ? null : (
        <button type="button" className="text-button" onClick={() => branches.regenerate({ id: place.askedId, text: place.asked })}>
          {t("Regenerate")}
          <span className="sr-only"> {t("answer")}</span>
        </button>
      )}
      {place === undefined ? null : <ContextButton entryId={place.entryId} timestampMs={item.timestampMs} />}
      {item.entryId === undefined ? null : (
        <Link to="/trace/$id" params={{ id: item.entryId }} search={{ by: "entry" }} className="text-button">
          {t("Trace")}
          <span className="sr-only"> {t("of the answer")}</span>
        </Link>
      )}
      {isSubagent ? null : <UndoEarlier entryId={item.entryId} />}
    </div>
  );
}

/** Opens the report of the request that an answer came from. */
function ContextButton({ entryId, timestampMs }: { readonly entryId: string; readonly timestampMs: number }): React.JSX.Element {
  const session = useSession();
  const sessionKey = useAppState((state) => state.sessionKey);
  const open = async (): Promise<void> => {
    const request = await findRequest(session, { entryId, timestampMs });
    if (sessionKey === undefined || request === undefined) return;
    window.location.hash = `${renderPath(sessionKey, "context")}?request=${encodeURIComponent(request)}`;
  };
  return (
    <button type="button" className="text-button" onClick={() => void open()}>
      {t("Context")}
      <span className="sr-only"> {t("of the answer")}</span>
    </button>
  );
}

/** Below a message of the person: which version it is, and buttons to copy it and to edit it. */
export function UserActions({ item }: { readonly item: Extract<ChatItem, { type: "user" }> }): React.JSX.Element | null {
  const { branches } = useController();
  // The messages to a sub-agent are not the person's own.
  const isSubagent = useOpenSubagent() !== undefined;
  if (item.text === "" && item.versions === undefined) return null;
  return (
    <>
      {item.versions === undefined ? null : <VersionSwitcher id={item.id} versions={item.versions} />}
      {item.text === "" ? null : (
        <div className="message-actions quiet">
          <CopyButton text={() => item.text} what={t("message")} />
          {isSubagent || isUndoOfEarlier(item.text) ? null : (
            <button type="button" className="text-button" onClick={() => branches.edit(item)}>
              {t("Edit")}
              <span className="sr-only"> {t("message")}</span>
            </button>
          )}
          {isSubagent ? null : <UndoEarlier entryId={item.id} />}
        </div>
      )}
    </>
  );
}

/** Leads to the branches of the conversation that begin with the other versions of a message. */
function VersionSwitcher({ id, versions }: { readonly id: string; readonly versions: readonly string[] }): React.JSX.Element {
  const { branches } = useController();
  const index = versions.indexOf(id);
  const [previous, next] = [versions[index - 1], versions[index + 1]];
  return (
    <div className="message-actions versions">
      <VersionButton
        icon="back"
        label={t("Earlier version of the message")}
        entryId={previous}
        onShow={(entryId) => branches.show(entryId)}
      />
      <span>{t("{index} of {count}", { index: index + 1, count: versions.length })}</span>
      <VersionButton icon="chevron" label={t("Later version of the message")} entryId={next} onShow={(entryId) => branches.show(entryId)} />
    </div>
  );
}

function VersionButton({
  icon,
  label,
  entryId,
  onShow,
}: {
  readonly icon: "back" | "chevron";
  readonly label: string;
  readonly entryId: string | undefined;
  readonly onShow: (entryId: string) => Promise<void>;
}): React.JSX.Element {
  return (
    <button
      type="button"
      className="text-button"
      aria-label={label}
      title={label}
      disabled={entryId === undefined}
      onClick={() => void (entryId === undefined ? undefined : onShow(entryId))}
    >
      <Icon name={icon} />
    </button>
  );
}
