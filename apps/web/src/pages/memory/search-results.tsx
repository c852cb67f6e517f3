import type { MemorySearchHit } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { originText } from "./memory-texts.ts";
import styles from "./memory.module.css";

const MAX_HITS = 20;

interface SearchResultsProps {
  readonly agent: string | undefined;
  readonly query: string;
}

/** The passages that the assistant would find, with where they come from. */
export function SearchResults({ agent, query }: SearchResultsProps): React.JSX.Element {
  const found = useRpc("memory.search", { query, maxResults: MAX_HITS, ...(agent !== undefined && { agentId: agent }) });
  return (
    <Loaded query={found}>
      {({ hits, degraded }) => (
        <>
          {degraded === undefined ? null : (
            <p className="problem">
              {t("Less complete than usual:")}
              {sentenceSpace()}
              <bdi>{degraded}</bdi>
            </p>
          )}
          {hits.length === 0 ? <EmptyState>{t("Nothing was found. Try other words.")}</EmptyState> : null}
          <ul className={styles["list"]} aria-label={t("Passages")}>
            {hits.map((hit) => (
              <Hit key={`${hit.path} ${hit.startLine}`} agent={agent} hit={hit} />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function Hit({ agent, hit }: { readonly agent: string | undefined; readonly hit: MemorySearchHit }): React.JSX.Element {
  const { text, origin, day, source } = hit;
  return (
    <li className="list-item">
      <div className="item-head">
        <HitPlace agent={agent} hit={hit} />
        {origin === "untrusted" || source === "sessions" ? (
          <Badge tone={origin === "untrusted" ? "warning" : "neutral"}>{originText(origin)}</Badge>
        ) : null}
      </div>
      <p className={styles["passage"]} dir="auto">
        {text}
      </p>
      <small>
        {source === "notes" ? t("Note") : t("Conversation")}
        {day === undefined ? null : ` · ${day}`}
      </small>
    </li>
  );
}

/** Notes of the workspace can be opened; those of other folders and what was said are named. */
function HitPlace({
  agent,
  hit: { path, source, startLine, endLine },
}: {
  readonly agent: string | undefined;
  readonly hit: MemorySearchHit;
}): React.JSX.Element {
  if (source === "sessions") return <code>{path}</code>;
  const place = t("{path}, lines {from} to {to}", { path, from: startLine, to: endLine });
  if (path.startsWith("/")) return <bdi>{place}</bdi>;
  return (
    <Link to="/memory" search={{ ...(agent !== undefined && { agent }), note: path }}>
      <bdi>{place}</bdi>
    </Link>
  );
}
