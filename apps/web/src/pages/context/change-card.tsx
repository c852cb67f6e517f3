import type { ContextChange, ContextReport } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TextDiff } from "../../ui/text-diff.tsx";
import { changeSentence } from "./change-sentence.ts";
import { count, partTitle } from "./context-words.ts";
import styles from "./context.module.css";

const CHANGE_WORDS: Readonly<Record<ContextChange["type"], string>> = { added: msg("New"), changed: msg("Changed"), removed: msg("Gone") };

/** What changed since the request before: a sentence, and each change with its lines. New messages are what a conversation consists of: only their number is said. */
export function ChangeCard({ report }: { readonly report: ContextReport }): React.JSX.Element | null {
  const { diff, request } = report;
  if (diff === undefined) return null;
  const isOrdinary = ({ part, type }: ContextChange): boolean => part === "messages" && type === "added";
  const added = diff.changes.filter(isOrdinary).length;
  const shown = diff.changes.filter((change) => !isOrdinary(change));
  return (
    <Card title={t("Since the request before")}>
      <p>{changeSentence(diff, request)}</p>
      {added === 0 ? null : (
        <p className={styles["hint"]}>
          {t("{count, plural, one {# message was added.} other {# messages were added.}}", { count: added })}
        </p>
      )}
      {shown.length === 0 ? null : (
        <ul className={styles["changes"]}>
          {shown.map((change) => (
            <li key={`${change.part} ${change.section}`}>
              <ChangeRow change={change} report={report} earlierId={diff.requestId} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

interface ChangeRowProps {
  readonly change: ContextChange;
  readonly report: ContextReport;
  readonly earlierId: string;
}

function ChangeRow({ change, report, earlierId }: ChangeRowProps): React.JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { part, type, charsBefore, charsAfter } = change;
  return (
    <details className={styles["section"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron" />
        <span className={styles["title"]}>
          <bdi>{gatewayText(change.title)}</bdi>
          <Badge tone={type === "removed" ? "warning" : "good"}>{t(CHANGE_WORDS[type])}</Badge>
        </span>
        <span className={styles["size"]}>
          {t("{part}: {before} → {after} characters", { part: partTitle(part), before: count(charsBefore), after: count(charsAfter) })}
        </span>
      </summary>
      {isOpen ? (
        <div className={styles["body"]}>
          <Difference change={change} report={report} earlierId={earlierId} />
        </div>
      ) : null}
    </details>
  );
}

/** The earlier request is asked for once, with the first change that is opened. */
function Difference({ change, report, earlierId }: ChangeRowProps): React.JSX.Element {
  const earlier = useRpc("context.report", { sessionKey: report.sessionKey, id: earlierId, texts: true });
  return (
    <Loaded query={earlier}>
      {(before) => (
        <TextDiff
          label={t("Change of {title}", { title: gatewayText(change.title) })}
          before={textOf(before, change)}
          after={textOf(report, change)}
        />
      )}
    </Loaded>
  );
}

/** Empty for what one of the two does not have. A message that was the turn's own text then is in another part now. */
function textOf({ parts }: ContextReport, { part, section }: ContextChange): string {
  return parts.find(({ type }) => type === part)?.sections.find(({ id }) => id === section)?.text ?? "";
}
