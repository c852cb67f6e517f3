import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useOpenSession } from "../chat/use-open-session.ts";
import styles from "./context.module.css";
import { ReportView } from "./report-view.tsx";
import { REQUESTS_AT_ONCE, RequestList } from "./request-list.tsx";

/** What the model was given in a conversation: the list of requests, and the one that the address names, or the newest. */
export function ContextPage(): React.JSX.Element {
  const { sessionKey } = useParams({ from: "/data/context/$sessionKey" });
  const { request } = useSearch({ from: "/data/context/$sessionKey" });
  const { title } = useOpenSession();
  const list = useRpc("context.list", { sessionKey, limit: REQUESTS_AT_ONCE });
  return (
    <PageFrame title={t("Context")}>
      <div className={styles["bar"]}>
        <Link to="/chat/{-$sessionKey}" params={{ sessionKey }}>
          {t("Back to the conversation")}
        </Link>
        <bdi>{title}</bdi>
      </div>
      <Loaded query={list}>
        {({ requests, before }) => {
          const shown = request ?? requests[0]?.id;
          if (shown === undefined)
            return (
              <EmptyState
                action={
                  <Link to="/chat/{-$sessionKey}" params={{ sessionKey }} className="button">
                    {t("Say something")}
                  </Link>
                }
              >
                {t("No request to a model is kept yet.")}
              </EmptyState>
            );
          return (
            <div className={styles["columns"]}>
              <RequestList sessionKey={sessionKey} requests={requests} before={before} shown={shown} />
              <div className={styles["scroll"]}>
                <Report key={shown} sessionKey={sessionKey} id={shown} />
              </div>
            </div>
          );
        }}
      </Loaded>
    </PageFrame>
  );
}

function Report({ sessionKey, id }: { readonly sessionKey: string; readonly id: string }): React.JSX.Element {
  const report = useRpc("context.report", { sessionKey, id, diff: "previous", texts: true });
  return <Loaded query={report}>{(value) => <ReportView report={value} />}</Loaded>;
}
