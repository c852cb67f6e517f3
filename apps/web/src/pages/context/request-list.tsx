import { formatClock } from "../../app/locale.ts";
import type { ContextRequest } from "@factotum/protocol";
import type { RequestPage } from "../../app/inspector-state.ts";
import { useController } from "../../app/app-context.ts";
import { count, requestTitle, sentTokens } from "./context-words.ts";
import { t } from "../../i18n/t.ts";

/** The stored requests of the session, newest first. */
export function RequestList({ page, shown }: { readonly page: RequestPage; readonly shown: string | undefined }): React.JSX.Element {
  const { inspector } = useController();
  return (
    <nav className="request-list" aria-label={t("Requests")}>
      <ul>
        {page.requests.map((request) => (
          <li key={request.id}>
            <button
              type="button"
              className="request-row"
              aria-current={request.id === shown ? "true" : undefined}
              onClick={() => void inspector.choose(request.id)}
            >
              <span className="request-title">{requestTitle(request)}</span>
              <span className="request-detail">{detailOf(request)}</span>
            </button>
          </li>
        ))}
      </ul>
      {page.before === undefined ? null : (
        <button type="button" className="text-button" onClick={() => void inspector.loadOlder()}>
          {t("Show earlier requests")}
        </button>
      )}
    </nav>
  );
}

function detailOf(request: ContextRequest): string {
  const time = formatClock(request.sentAtMs);
  const what = request.outcome.type === "failed" ? t("failed") : t("{tokens} tokens", { tokens: count(sentTokens(request)) });
  return [time, ...(request.kind === "user" ? [] : [request.kind]), what, ...request.causes].join(" · ");
}
