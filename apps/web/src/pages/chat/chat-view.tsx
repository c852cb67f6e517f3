import { memo, useEffect, useMemo, useState } from "react";
import { isSubagentKey } from "../../app/session-key.ts";
import { toCommittedItems, toLiveItems } from "../../chat/chat-items.ts";
import type { ChatState } from "../../chat/chat-state.ts";
import { withDaySeparators } from "../../chat/day-separators.ts";
import { groupSpawns } from "../../chat/group-spawns.ts";
import { hideRetries } from "../../chat/hide-retries.ts";
import { RowGroups } from "../../chat/row-groups.ts";
import { copyAsWritten } from "../../markdown/copy-as-written.ts";
import { loadRepair } from "../../markdown/use-repair.ts";
import { OtherSubagents } from "./subagents/other-subagents.tsx";
import { SubagentAnnouncer } from "./subagents/subagent-announcer.tsx";
import { Announcer } from "./announcer.tsx";
import { useAppState, useController } from "../../app/app-context.ts";
import { ChatRow } from "./chat-row.tsx";
import { Icon } from "../../ui/icon.tsx";
import { OlderMessages } from "./older-messages.tsx";
import { OutgoingRow } from "./outgoing-row.tsx";
import { RetryBar } from "./retry-bar.tsx";
import { UndoFilesBar } from "./undo-files.tsx";
import { UndoOffersProvider, useUndoOffers } from "./use-undo-offers.ts";
import { useRowCount } from "./use-row-count.ts";
import { useScrollKeeper } from "./use-scroll-keeper.ts";
import { Welcome } from "./welcome.tsx";
import { t } from "../../i18n/t.ts";

/** The open conversation, or why there is none. */
export function ChatView(): React.JSX.Element {
  const open = useAppState((state) => state.open);
  const connected = useAppState((state) => state.connection.type === "connected");
  const controller = useController();
  if (open.type === "open") return <Conversation chat={open.chat} />;
  if (open.type === "loading") return <Loading connected={connected} />;
  return (
    <div className="chat-note" role="alert">
      <p>{t("This conversation could not be opened: {reason}", { reason: open.message })}</p>
      <button type="button" className="button" onClick={() => controller.reopen()}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** A conversation that was not read yet, with what was typed for it while the gateway was away. */
function Loading({ connected }: { readonly connected: boolean }): React.JSX.Element {
  const sessionKey = useAppState((state) => state.sessionKey);
  const outgoing = useAppState((state) => state.outgoing).filter((message) => message.sessionKey === sessionKey);
  return (
    <div className="chat">
      <p className="chat-note">{connected ? t("Loading the conversation…") : t("Waiting for the gateway…")}</p>
      {outgoing.length === 0 ? null : (
        <div className="chat-column">
          {outgoing.map((message) => (
            <OutgoingRow key={message.idempotencyKey} message={message} />
          ))}
        </div>
      )}
    </div>
  );
}

function Conversation({ chat }: { readonly chat: ChatState }): React.JSX.Element {
  const allOutgoing = useAppState((state) => state.outgoing);
  const { sessionKey, entries, live, before, rows } = chat;
  const items = useMemo(
    () => withDaySeparators(groupSpawns(hideRetries(toCommittedItems(entries, live?.tools, rows)))),
    [entries, live?.tools, rows],
  );
  // The elements stay the same too, so that a new word does not touch committed rows.
  const committed = useMemo(() => items.map((item) => <ChatRow key={item.id} item={item} />), [items]);
  const rowCount = useRowCount(committed.length);
  const [groups] = useState(() => new RowGroups());
  // One list with the committed rows: a completed answer stays in the row in which it was streamed.
  const allRows = [...committed.slice(-rowCount), ...toLiveItems(live, rows).map((item) => <ChatRow key={item.id} item={item} />)];
  const outgoing = useMemo(() => allOutgoing.filter((message) => message.sessionKey === sessionKey), [allOutgoing, sessionKey]);
  const { scroller, column, away, onScroll, toEnd } = useScrollKeeper({
    sessionKey,
    sendKey: outgoing.at(-1)?.idempotencyKey,
    content: chat,
  });
  const isAnswering = live !== undefined;
  useEffect(() => {
    // The first words take the model longer.
    if (isAnswering) void loadRepair();
  }, [isAnswering]);
  const isSubagent = isSubagentKey(sessionKey);
  const undos = useUndoOffers(chat);
  const isSilent = live !== undefined && live.tools.length === 0 && live.blocks.every((block) => block.text === "");
  return (
    <div className="chat">
      <div
        className="chat-scroll"
        ref={scroller}
        onScroll={onScroll}
        onCopy={copyAsWritten}
        role="log"
        aria-label={t("Conversation")}
        // Otherwise every token would be read aloud; the announcer reads each answer once.
        aria-live="off"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users scroll it
        tabIndex={0}
      >
        <h2 className="sr-only">{t("Conversation")}</h2>
        {before === undefined ? null : <OlderMessages key={before} scroller={scroller} isReached={rowCount === Infinity} />}
        <div className="chat-column" ref={column}>
          {committed.length === 0 && outgoing.length === 0 && live === undefined && !isSubagent ? <Welcome /> : null}
          <UndoOffersProvider value={undos}>
            {groups.divide(allRows).map(({ key, rows: members }) => (
              <RowGroup key={key} rows={members} />
            ))}
          </UndoOffersProvider>
          {isSilent ? <p className="working">{t("Working")}</p> : null}
          <OtherSubagents sessionKey={sessionKey} items={items} />
          {isSubagent ? null : <RetryBar chat={chat} />}
          {isSubagent ? null : <UndoFilesBar chat={chat} offer={undos.newest} />}
          {outgoing.map((message) => (
            <OutgoingRow key={message.idempotencyKey} message={message} />
          ))}
        </div>
      </div>
      {away ? (
        <button type="button" className="icon-button to-end" aria-label={t("Go to the newest message")} onClick={toEnd}>
          <Icon name="down" />
        </button>
      ) : null}
      <Announcer chat={chat} />
      <SubagentAnnouncer sessionKey={sessionKey} />
    </div>
  );
}

/** A group of rows, rendered again only when one of its elements changes. Out of view it costs a frame nothing. */
const RowGroup: React.NamedExoticComponent<{ readonly rows: readonly React.JSX.Element[] }> = memo(
  function RowGroup({ rows }: { readonly rows: readonly React.JSX.Element[] }) {
    return <div className="rows">{rows}</div>;
  },
  (before, after) => before.rows.length === after.rows.length && before.rows.every((row, index) => row === after.rows[index]),
);
