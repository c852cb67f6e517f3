import type { ConfigView } from "@factotum/protocol";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { TextDiff } from "../../../ui/text-diff.tsx";
import { type ConfigDraft, changeOf } from "./config-draft.ts";
import { mergeText } from "./merge-text.ts";
import styles from "./configuration.module.css";

interface ChangeConflictProps {
  readonly draft: ConfigDraft;
  /** The file as it is now. */
  readonly view: ConfigView;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** The file was changed while a person was changing it, too: both changes are shown, and none is lost without a word. */
export function ChangeConflict({ draft, view, onKeep, onDiscard }: ChangeConflictProps): React.JSX.Element {
  const { base } = draft;
  const isMerged = draft.type === "forms" || mergeText(base.text ?? "", draft.text, view.text ?? "") !== undefined;
  return (
    <Card title={t("The file has changed meanwhile")}>
      <h3 className={styles["part"]}>{t("Changed elsewhere")}</h3>
      <TextDiff label={t("Changed elsewhere")} before={base.text ?? ""} after={view.text ?? ""} />
      <h3 className={styles["part"]}>{t("Your changes")}</h3>
      {draft.type === "text" ? (
        <TextDiff label={t("Your changes")} before={base.text ?? ""} after={draft.text} />
      ) : (
        <ul className={styles["list"]}>
          {changedKeys(changeOf(draft)).map((key) => (
            <li key={key}>
              <code dir="ltr">{key}</code>
            </li>
          ))}
        </ul>
      )}
      {isMerged ? null : (
        <p>
          {t("Both changed the same lines. If you keep your text, it takes the place of the other one; the review shows what that undoes.")}
        </p>
      )}
      <div className="actions">
        <Button variant="primary" onClick={onKeep}>
          {isMerged ? t("Keep both") : t("Keep my text")}
        </Button>
        <Button variant="danger" onClick={onDiscard}>
          {t("Discard my changes")}
        </Button>
      </div>
    </Card>
  );
}

/** The keys of a merge patch, down to the values. */
function changedKeys(change: object): readonly string[] {
  const keys = (value: unknown, at: string): readonly string[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length === 0) return [at];
    return Object.entries(value).flatMap(([key, below]) => keys(below, at === "" ? key : `${at}.${key}`));
  };
  return "patch" in change ? keys(change.patch, "") : [];
}
