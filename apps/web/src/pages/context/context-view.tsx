import { useEffect, useRef } from "react";
import type { InspectorState } from "../../app/inspector-state.ts";
import { useAppState, useController } from "../../app/app-context.ts";
import { ReportView } from "./report-view.tsx";
import { RequestList } from "./request-list.tsx";
import { t } from "../../i18n/t.ts";

/** What the model was given in this session: the list of requests, and the chosen one. */
export function ContextView({ state }: { readonly state: InspectorState }): React.JSX.Element {
  const controller = useController();
  const connected = useAppState((app) => app.connection.type === "connected");
  const running = useAppState((app) => app.open.type === "open" && app.open.chat.live !== undefined);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  useEffect(() => {
    // An ended run has stored its requests; a new connection may have missed some.
    if (connected) void controller.inspector.refresh();
  }, [connected, running, state.sessionKey, controller]);
  return (
    <div className="context">
      <div className="context-bar">
        <button ref={back} type="button" className="text-button" onClick={() => controller.showChat()}>
          {t("Back to the conversation")}
        </button>
        <p>{t("What the model was given")}</p>
      </div>
      <Content state={state} connected={connected} />
    </div>
  );
}

function Content({ state, connected }: { readonly state: InspectorState; readonly connected: boolean }): React.JSX.Element {
  const { list, report, requestId } = state;
  if (list.type === "failed") return <Failure message={list.message} />;
  if (list.type === "loading") return <p className="chat-note">{connected ? t("Loading the requests…") : t("Waiting for the gateway…")}</p>;
  if (list.value.requests.length === 0) return <p className="chat-note">{t("No request to a model is kept yet. Say something first.")}</p>;
  const shown = requestId ?? (report.type === "ready" ? report.value.request.id : undefined);
  return (
    <div className="context-columns">
      <RequestList page={list.value} shown={shown} />
      <div className="context-scroll">
        {report.type === "ready" ? <ReportView report={report.value} /> : null}
        {report.type === "failed" ? <Failure message={report.message} /> : null}
        {report.type === "loading" ? <p className="chat-note">{t("Loading…")}</p> : null}
      </div>
    </div>
  );
}

function Failure({ message }: { readonly message: string }): React.JSX.Element {
  const { inspector } = useController();
  return (
    <div className="chat-note" role="alert">
      <p>{t("This could not be shown: {reason}", { reason: message })}</p>
      <button type="button" className="button" onClick={() => void inspector.refresh()}>
        {t("Try again")}
      </button>
    </div>
  );
}
