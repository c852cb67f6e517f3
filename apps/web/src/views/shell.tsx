import { type RefObject, useEffect, useRef, useState } from "react";
import { SetupButton } from "../first-run/setup-button.tsx";
import { useAppState, useController } from "./app-context.ts";
import { SubagentBar } from "../subagents/subagent-bar.tsx";
import { SubagentComposer } from "../subagents/subagent-composer.tsx";
import { isOpenSubagent } from "../subagents/describe-subagent.ts";
import { useOpenSubagent } from "../subagents/use-subagents.ts";
import { ChatView } from "./chat-view.tsx";
import { Composer } from "./composer.tsx";
import { ConnectionBanner, ConnectionMark } from "./connection-banner.tsx";
import { ContextView } from "./context/context-view.tsx";
import { DropZone } from "./drop-zone.tsx";
import { Icon } from "./icon.tsx";
import { Modal } from "./modal.tsx";
import { SessionList } from "./session-list.tsx";
import { StatusLine } from "./status-line.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";
import { type Attachments, useAttachments } from "./use-attachments.ts";
import { useMediaQuery } from "./use-media-query.ts";
import { UndoBanner } from "./undo-banner.tsx";
import { useOpenSession } from "./use-open-session.ts";
import { useTitle } from "./use-title.ts";
import { WarningList } from "./warning-list.tsx";

/** The page once there is a token: the list of conversations, and the open one. On a phone the list is a drawer. */
export function Shell(): React.JSX.Element {
  const isWide = useMediaQuery("(min-width: 52rem)");
  const [drawer, setDrawer] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const sessionKey = useAppState((state) => state.sessionKey);
  const inspector = useAppState((state) => state.inspector);
  const attachments = useAttachments(sessionKey);
  const { title } = useOpenSession();
  useTitle(title);
  const subagent = useOpenSubagent();
  const takesFiles = inspector === undefined && subagent === undefined;
  const hasField = takesFiles || (inspector === undefined && typeof subagent === "object" && isOpenSubagent(subagent));
  const writeAfter = useRef(false);
  useEffect(() => {
    // While the drawer is open, nothing behind it takes the focus.
    if (drawer || !writeAfter.current) return;
    writeAfter.current = false;
    input.current?.focus();
  }, [drawer]);
  const wasInspecting = useRef(false);
  useEffect(() => {
    if (wasInspecting.current && inspector === undefined && isWide) input.current?.focus();
    wasInspecting.current = inspector !== undefined;
  }, [inspector, isWide]);
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
    <div className="shell">
      {takesFiles ? <DropZone onFiles={attachments.add} /> : null}
      {hasField ? <SkipLink onFollow={() => input.current?.focus()} /> : null}
      {isWide ? (
        <aside className="sidebar" aria-label="Sidebar">
          <p className="wordmark">Factotum</p>
          <SessionList onChosen={onChosen} />
        </aside>
      ) : null}
      {drawer && !isWide ? (
        <Modal title="Factotum" className="drawer" onClose={() => setDrawer(false)}>
          <SessionList onChosen={onChosen} />
        </Modal>
      ) : null}
      <div className="stage">
        <header className="topbar">
          {isWide ? null : (
            <button type="button" className="icon-button" aria-label="Conversations" aria-haspopup="dialog" onClick={() => setDrawer(true)}>
              <Icon name="menu" />
            </button>
          )}
          <h1>{title}</h1>
          <ConnectionMark />
          <ThemeToggle />
          <SetupButton />
        </header>
        <section aria-label="Notices">
          <ConnectionBanner />
          <WarningList />
          <UndoBanner />
          <Alert />
        </section>
        <main className="main">
          {inspector === undefined ? (
            <OpenSession sessionKey={sessionKey} input={input} attachments={attachments} />
          ) : (
            <ContextView state={inspector} />
          )}
        </main>
      </div>
    </div>
  );
}

/** The conversation of the open session, with the field below it. */
function OpenSession({
  sessionKey,
  input,
  attachments,
}: {
  readonly sessionKey: string | undefined;
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly attachments: Attachments;
}): React.JSX.Element {
  const subagent = useOpenSubagent();
  return (
    <>
      <SubagentBar />
      <ChatView />
      {subagent !== undefined ? (
        <SubagentComposer subagent={subagent} input={input} />
      ) : sessionKey === undefined ? null : (
        <Composer sessionKey={sessionKey} input={input} attachments={attachments} />
      )}
      <StatusLine />
    </>
  );
}

function Alert(): React.JSX.Element | null {
  const alert = useAppState((state) => state.alert);
  const controller = useController();
  if (alert === undefined) return null;
  return (
    <div className="banner error" role="alert">
      <span>{alert}</span>
      <button type="button" className="text-button" onClick={() => controller.dismissAlert()}>
        Dismiss
      </button>
    </div>
  );
}

function SkipLink({ onFollow }: { readonly onFollow: () => void }): React.JSX.Element {
  return (
    <a
      className="skip-link"
      href="#message"
      onClick={(event) => {
        event.preventDefault();
        onFollow();
      }}
    >
      Go to the message field
    </a>
  );
}
