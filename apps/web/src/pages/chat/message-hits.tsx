import { Link } from "@tanstack/react-router";
import type { SessionTextHit } from "@factotum/protocol";
import { useEffect, useState } from "react";
import { useAppState, useSession } from "../../app/app-context.ts";
import { mainKeyOf } from "../../app/app-state.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { openMessage } from "../../app/message-target.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { t } from "../../i18n/t.ts";
import { relativeTime } from "../../ui/relative-time.ts";
import styles from "./message-hits.module.css";

/** A search begins when typing pauses. */
const PAUSE_MS = 250;
/** Frames in which the row of a message may be drawn. */
const MAX_FRAMES = 240;

interface Found {
  readonly query: string;
  readonly hits: readonly SessionTextHit[];
  readonly cursor?: string | undefined;
  readonly problem?: string;
}

/** The messages that have the words, newest first. Each opens its conversation at the message. */
export function MessageHits({ query, onOpened }: { readonly query: string; readonly onOpened: () => void }): React.JSX.Element {
  const { client, controller, store } = useSession();
  const agentId = useAppState((state) => state.agentId);
  const [found, setFound] = useState<Found>();
  const search = async (cursor?: string): Promise<Found> => {
    try {
      const more = cursor === undefined ? {} : { cursor };
      const page = await client.request("sessions.search", { text: query, ...(agentId !== undefined && { agentId }), ...more });
      return { query, hits: page.hits, cursor: page.cursor };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { query, hits: [], problem: error.message };
    }
  };
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => void search().then((first) => isWanted && setFound(first)), PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- a new search for other words alone
  }, [query, agentId]);
  const open = async ({ key, entryId, isHidden }: SessionTextHit): Promise<void> => {
    onOpened();
    if (!(await openMessage({ sessionKey: key, entryId }, { controller, store }))) return;
    showRow(entryId);
    // Another version is shown now.
    if (isHidden === true) setFound(await search());
  };
  const more = async (): Promise<void> => {
    const next = await search(found?.cursor);
    if (found !== undefined) setFound({ ...next, hits: [...found.hits, ...next.hits] });
  };
  const isCurrent = found?.query === query;
  return (
    <section aria-label={t("In messages")} aria-busy={!isCurrent}>
      <p className="session-group" aria-hidden="true">
        {t("In messages")}
      </p>
      <ul className={styles["hits"]}>
        {(found?.hits ?? []).map((hit) => (
          <li key={hit.entryId}>
            <Hit hit={hit} onOpen={() => void open(hit)} />
          </li>
        ))}
      </ul>
      {isCurrent ? <Rest found={found} onMore={() => void more()} /> : <p className="session-detail">{t("Searching…")}</p>}
    </section>
  );
}

function Hit({ hit, onOpen }: { readonly hit: SessionTextHit; readonly onOpen: () => void }): React.JSX.Element {
  const place = placeOf(hit);
  const title = useTitle(hit);
  const content = (
    <>
      <span className={styles["title"]}>
        <bdi>{title}</bdi> · {ageOf(hit)}
      </span>
      {place === undefined ? null : <span className={styles["title"]}>{place}</span>}
      <span className={styles["snippet"]} dir="auto">
        {markedParts(hit)}
      </span>
    </>
  );
  if (hit.isCurrent)
    return (
      <button type="button" className={styles["hit"]} onClick={onOpen}>
        {content}
      </button>
    );
  // A conversation before a reset is not shown any longer; its trace is, if a turn of it answered.
  if (hit.turnId === undefined) return <div className={`${styles["hit"]} ${styles["fixed"]}`}>{content}</div>;
  return (
    <Link to="/trace/$id" params={{ id: hit.entryId }} search={{ by: "entry" }} className={styles["hit"]}>
      {content}
    </Link>
  );
}

/** The name that the list of conversations has for it; the gateway's for one that is not loaded. */
function useTitle({ key, title }: SessionTextHit): string {
  const summary = useAppState((state) => state.sessions.find((session) => session.key === key));
  const mainKey = useAppState(mainKeyOf);
  return summary === undefined ? title : sessionTitle(key, summary, mainKey);
}

function ageOf({ timestampMs }: SessionTextHit): string {
  return relativeTime(timestampMs, Date.now());
}

/** Where a message is that its conversation does not show as it is now. */
function placeOf({ isCurrent, isHidden }: SessionTextHit): string | undefined {
  if (!isCurrent) return t("before a reset");
  return isHidden === true ? t("in a version that is not shown") : undefined;
}

function markedParts({ snippet, matches }: SessionTextHit): React.ReactNode {
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (const [start, end] of matches) {
    parts.push(snippet.slice(at, start), <mark key={start}>{snippet.slice(start, end)}</mark>);
    at = end;
  }
  return [...parts, snippet.slice(at)];
}

function Rest({ found, onMore }: { readonly found: Found; readonly onMore: () => void }): React.JSX.Element | null {
  if (found.problem !== undefined)
    return (
      <p className="session-detail" role="alert">
        {found.problem}
      </p>
    );
  if (found.cursor !== undefined)
    return (
      <button type="button" className="text-button" onClick={onMore}>
        {t("Search older messages")}
      </button>
    );
  return found.hits.length === 0 ? <p className="session-detail">{t("No message has these words.")}</p> : null;
}

/** Rows are drawn in steps, the newest first. */
function showRow(entryId: string, frame = 0): void {
  const row = [...document.querySelectorAll<HTMLElement>("[data-entry]")].find((element) => element.dataset["entry"] === entryId);
  if (row === undefined) {
    if (frame < MAX_FRAMES) requestAnimationFrame(() => showRow(entryId, frame + 1));
    return;
  }
  row.scrollIntoView({ block: "center" });
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
}
