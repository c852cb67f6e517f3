import type { ContextRequest } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatClock } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import styles from "./context.module.css";
import { askedTitle, count, sentTokens } from "./context-words.ts";

/** Requests of one part of the list. */
export const REQUESTS_AT_ONCE = 50;

interface RequestListProps {
  readonly sessionKey: string;
  /** Newest first. */
  readonly requests: readonly ContextRequest[];
  /** Cursor of older ones. */
  readonly before: string | undefined;
  readonly shown: string;
}

/** The stored requests of the session, newest first, by what was said. */
export function RequestList(props: RequestListProps): React.JSX.Element {
  return (
    <nav className={styles["list"]} aria-label={t("Requests")}>
      <RequestRows {...props} />
    </nav>
  );
}

function RequestRows({ sessionKey, requests, before, shown }: RequestListProps): React.JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ul>
        {requests.map((request) => (
          <li key={request.id}>
            <Link
              to="/context/$sessionKey"
              params={{ sessionKey }}
              search={{ request: request.id }}
              className={styles["request"]}
              aria-current={request.id === shown ? "page" : undefined}
            >
              <span className={styles["asked"]} dir="auto">
                {askedTitle(request)}
              </span>
              <span className={styles["detail"]}>{detailOf(request)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {before === undefined ? null : isOpen ? (
        <OlderRequests sessionKey={sessionKey} before={before} shown={shown} />
      ) : (
        <Button variant="text" onClick={() => setOpen(true)}>
          {t("Show earlier requests")}
        </Button>
      )}
    </>
  );
}

function OlderRequests({
  sessionKey,
  before,
  shown,
}: Omit<RequestListProps, "requests" | "before"> & { readonly before: string }): React.JSX.Element {
  const list = useRpc("context.list", { sessionKey, limit: REQUESTS_AT_ONCE, before });
  return (
    <Loaded query={list}>
      {(page) => <RequestRows sessionKey={sessionKey} requests={page.requests} before={page.before} shown={shown} />}
    </Loaded>
  );
}

function detailOf(request: ContextRequest): string {
  const what = request.outcome.type === "failed" ? t("failed") : t("{tokens} tokens", { tokens: count(sentTokens(request)) });
  const number = request.request === 1 ? [] : [t("step {number}", { number: request.request })];
  return [formatClock(request.sentAtMs), ...number, what].join(" · ");
}
