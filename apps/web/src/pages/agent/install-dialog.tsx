import { useState } from "react";
import { t } from "../../i18n/t.ts";
import { SevereConsent } from "../../plugin-install/severe-consent.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CodeField } from "../../ui/code-field.tsx";
import styles from "./agent.module.css";

interface InstallDialogProps {
  readonly title: string;
  /** What can be written as the source. */
  readonly hint: string;
  /** Fixed for an update. */
  readonly source?: string | undefined;
  /** What was found, once it was looked at. */
  readonly plan?: { readonly view: React.ReactNode; readonly isSevere: boolean; readonly isChanged: boolean } | undefined;
  /** What is done now; absent while nothing is. */
  readonly progress?: string | undefined;
  readonly problem?: string | undefined;
  readonly onLook: (source: string) => void;
  readonly onAccept: (source: string) => void;
  readonly onClose: () => void;
}

/** Installs something in two steps: it is fetched and shown first, and installed if that is accepted. */
export function InstallDialog({
  title,
  hint,
  source: fixed,
  plan,
  progress,
  problem,
  onLook,
  onAccept,
  onClose,
}: InstallDialogProps): React.JSX.Element {
  const [source, setSource] = useState(fixed ?? "");
  const [isSure, setSure] = useState(false);
  const isBusy = progress !== undefined;
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (source.trim() === "" || isBusy) return;
    if (plan === undefined) onLook(source.trim());
    else onAccept(source.trim());
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles["form"]} onSubmit={submit}>
        {plan === undefined ? (
          <CodeField
            label={t("Source")}
            hint={hint}
            error={problem}
            hasInitialFocus
            readOnly={fixed !== undefined}
            value={source}
            onChange={setSource}
          />
        ) : (
          <>
            {plan.isChanged ? <p className="problem">{t("It has changed since you looked at it. Look at it again.")}</p> : null}
            {plan.view}
            {plan.isSevere ? <SevereConsent isSure={isSure} onChange={setSure} /> : null}
            {problem === undefined ? null : (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
          </>
        )}
        <output className="note">{progress}</output>
        <div className="dialog-actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button
            type="submit"
            variant={plan?.isSevere === true ? "danger" : "primary"}
            busy={isBusy}
            disabled={source.trim() === "" || (plan?.isSevere === true && !isSure)}
          >
            {plan === undefined ? t("Look at it") : t("Install")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
