import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { useOpenAttachments } from "./attachments-context.tsx";
import { ChatView } from "./chat-view.tsx";
import { Composer } from "./composer.tsx";
import { DropZone } from "./drop-zone.tsx";
import { SessionList } from "./session-list.tsx";
import { StatusLine } from "./status-line.tsx";
import { isOpenSubagent, isSpokenWith } from "./subagents/describe-subagent.ts";
import { SubagentBar } from "./subagents/subagent-bar.tsx";
import { SubagentComposer } from "./subagents/subagent-composer.tsx";
import { useOpenSubagent } from "./subagents/use-subagents.ts";
import { useOpenSession } from "./use-open-session.ts";
import { t } from "../../i18n/t.ts";

/** The conversations, and the open one. On a phone the list is a drawer. */
export function ChatPage(): React.JSX.Element {
  const isWide = useMediaQuery("(min-width: 52rem)");
  const [drawer, setDrawer] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const { title } = useOpenSession();
  const attachments = useOpenAttachments();
  const subagent = useOpenSubagent();
  const takesFiles = isConversation(subagent);
  const hasField = takesFiles || (typeof subagent === "object" && isOpenSubagent(subagent));
  const skip = useMemo(
    () => (hasField ? { label: t("Go to the message field"), follow: () => input.current?.focus() } : undefined),
    [hasField],
  );
  const writeAfter = useRef(false);
  useEffect(() => {
    // While the drawer is open, nothing behind it takes the focus.
    if (drawer || !writeAfter.current) return;
    writeAfter.current = false;
    input.current?.focus();
  }, [drawer]);
  const onChosen = (session: "new" | "known"): void => {
    if (isWide) {
      input.current?.focus();
      return;
    }
    // On a phone the on-screen keyboard would cover the conversation.
    writeAfter.current = session === "new";
    setDrawer(false);
  };
  return (
    <PageFrame
      title={title}
      skip={skip}
      lead={
        isWide ? undefined : (
          <button
            type="button"
            className="icon-button"
            aria-label={t("Conversations")}
            aria-haspopup="dialog"
            onClick={() => setDrawer(true)}
          >
            <Icon name="menu" />
          </button>
        )
      }
      sidebar={
        isWide ? (
          <aside className="sidebar" aria-label={t("Sidebar")}>
            <p className="wordmark">Factotum</p>
            <SessionList onChosen={onChosen} />
          </aside>
        ) : undefined
      }
    >
      {takesFiles ? <DropZone onFiles={attachments.add} /> : null}
      {drawer && !isWide ? (
        <Dialog title="Factotum" className="drawer" onClose={() => setDrawer(false)}>
          <SessionList onChosen={onChosen} />
        </Dialog>
      ) : null}
      <SubagentBar />
      <ChatView />
      <MessageField input={input} />
      <StatusLine />
    </PageFrame>
  );
}

/** The field below the conversation, for the session or its sub-agent. */
function MessageField({ input }: { readonly input: RefObject<HTMLTextAreaElement | null> }): React.JSX.Element | null {
  const sessionKey = useAppState((state) => state.sessionKey);
  const attachments = useOpenAttachments();
  const subagent = useOpenSubagent();
  if (subagent !== undefined && !isConversation(subagent)) return <SubagentComposer subagent={subagent} input={input} />;
  return sessionKey === undefined ? null : <Composer sessionKey={sessionKey} input={input} attachments={attachments} />;
}

/** True if what is written there is a message of the conversation. A sub-agent that ends with its result is steered instead. */
function isConversation(subagent: ReturnType<typeof useOpenSubagent>): boolean {
  return subagent === undefined || (typeof subagent === "object" && isSpokenWith(subagent));
}
