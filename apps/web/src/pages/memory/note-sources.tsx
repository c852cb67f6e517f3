import type { MemoryAuditEntry, MemoryFinding } from "@factotum/protocol";
import { formatMoment } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { findingText, originText } from "./memory-texts.ts";
import styles from "./memory.module.css";
import type { NoteProps } from "./note-props.ts";

/** The entries of a note: who wrote each, where, and what is wrong with it. */
export function NoteSources({ agent, path }: NoteProps): React.JSX.Element {
  const audit = useRpc("memory.audit", agent === undefined ? {} : { agentId: agent });
  return (
    <Loaded query={audit}>
      {({ notes }) => {
        const note = notes.find((one) => one.path === path);
        if (note === undefined || note.entries.length === 0) return <EmptyState>{t("There is no entry in this note.")}</EmptyState>;
        return (
          <>
            <Findings findings={note.findings} />
            <ul className={styles["list"]}>
              {note.entries.map((entry) => (
                <Entry key={entry.startLine} entry={entry} />
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

function Entry({ entry: { startLine, text, origin, source, findings } }: { readonly entry: MemoryAuditEntry }): React.JSX.Element {
  return (
    <li className="list-item">
      <div className="item-head">
        <small>{t("Line {line}", { line: startLine })}</small>
        <Badge tone={origin === "untrusted" ? "warning" : "neutral"}>{origin === undefined ? t("by hand") : originText(origin)}</Badge>
      </div>
      <p className={styles["passage"]} dir="auto">
        {text}
      </p>
      <Findings findings={findings} />
      {source === undefined ? null : (
        <small>
          {formatMoment(source.atMs)}
          {" · "}
          <SessionLink sessionKey={source.sessionKey} />
        </small>
      )}
    </li>
  );
}

function Findings({ findings }: { readonly findings: readonly MemoryFinding[] }): React.JSX.Element {
  return (
    <>
      {findings.map(({ type, message }) => (
        <p key={`${type} ${message}`} className={styles["finding"]}>
          <Badge tone="warning">{findingText(type)}</Badge> <bdi>{message}</bdi>
        </p>
      ))}
    </>
  );
}
