import { useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { useFirstRun } from "./first-run.tsx";
import { t } from "../i18n/t.ts";

/** Opens the first steps again, or says why they cannot be shown. */
export function SetupButton(): React.JSX.Element {
  const { open } = useFirstRun();
  const [problem, setProblem] = useState<string>();
  const show = (): void => {
    setProblem(undefined);
    void open().then(setProblem);
  };
  return (
    <>
      <button type="button" className="icon-button" aria-label={t("Setup")} title={t("Setup")} aria-haspopup="dialog" onClick={show}>
        <Icon name="setup" />
      </button>
      {problem === undefined ? null : (
        <span className="setup-problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
