import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { TextDiff } from "../ui/text-diff.tsx";
import styles from "./draft-conflict.module.css";
import type { TextDraft } from "./use-text-draft.ts";

/** Shown while a draft is outdated: what saving it would overwrite, and the choice between both texts. */
export function DraftConflict({ draft, stored }: { readonly draft: TextDraft; readonly stored: string }): React.JSX.Element | null {
  if (!draft.isOutdated) return null;
  return (
    <div className={styles["conflict"]} role="alert">
      <p>{t("The text was changed elsewhere meanwhile. This is what saving yours would do to it:")}</p>
      <TextDiff label={t("From the stored text to yours")} before={stored} after={draft.text} />
      <div className="actions">
        <Button onClick={draft.keep}>{t("Keep mine")}</Button>
        <Button onClick={draft.discard}>{t("Take the stored one")}</Button>
      </div>
    </div>
  );
}
