import type { ConfigDifference, ConfigPatchResult, ConfigView } from "@factotum/protocol";
import { useEffect, useRef } from "react";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { TextDiff } from "../../../ui/text-diff.tsx";
import styles from "./configuration.module.css";

interface ChangeReviewProps {
  readonly base: ConfigView;
  readonly plan: ConfigPatchResult;
  readonly isBusy: boolean;
  readonly onSave: () => void;
  readonly onBack: () => void;
}

/** Keys that decide on commands and their sandbox. The policy says nothing about the change of another one. */
const MAY_CHANGE_POLICY = /^tools\b|\bsandbox\b|^agents(?!\.defaults\.)/;

/** What will be written, and what it means, before it is. */
export function ChangeReview({ base, plan, isBusy, onSave, onBack }: ChangeReviewProps): React.JSX.Element {
  const actions = useRef<HTMLDivElement>(null);
  // What was pressed is gone; the next decision gets the focus.
  useEffect(() => actions.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  const notes = [...(plan.differences.some(({ path }) => MAY_CHANGE_POLICY.test(path)) ? plan.policy : []), ...plan.problems];
  return (
    <Card title={t("Before it is saved")}>
      <ul className={styles["list"]} aria-label={t("Changed settings")}>
        {plan.differences.map((difference) => (
          <li key={difference.path}>
            <code dir="ltr">{difference.path}</code> <DifferenceBadge difference={difference} mark={base.mark} />
          </li>
        ))}
      </ul>
      <TextDiff label={t("Changes of the file")} before={base.text ?? ""} after={plan.text ?? base.text ?? ""} />
      {plan.keptComments ? null : <p>{t("The file is written as a whole, and its comments are lost. The version before is kept.")}</p>}
      {plan.needsRestart.length === 0 ? null : (
        <p className={styles["warning"]}>{t("Takes effect after a restart: {keys}.", { keys: plan.needsRestart.join(", ") })}</p>
      )}
      {notes.length === 0 ? null : (
        <ul className={styles["notes"]} aria-label={t("What it means")}>
          {notes.map((note) => (
            <li key={note} dir="auto">
              {gatewayText(note)}
            </li>
          ))}
        </ul>
      )}
      <div className="actions" ref={actions}>
        <Button variant="primary" busy={isBusy} onClick={onSave}>
          {t("Save")}
        </Button>
        <Button onClick={onBack}>{t("Back to editing")}</Button>
      </div>
    </Card>
  );
}

function DifferenceBadge({
  difference: { type, before, after },
  mark,
}: {
  readonly difference: ConfigDifference;
  readonly mark: string;
}): React.JSX.Element {
  if (type === "added") return <Badge tone="good">{t("new")}</Badge>;
  if (type === "removed") return <Badge tone="bad">{t("removed")}</Badge>;
  return <Badge>{before === mark && after === mark ? t("another secret") : t("changed")}</Badge>;
}
