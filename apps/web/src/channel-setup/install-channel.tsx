import { useEffect, useRef, useState } from "react";
import { showProblems } from "../data/show-problems.ts";
import { t } from "../i18n/t.ts";
import { PluginPlanView } from "../plugin-install/plugin-plan.tsx";
import { SevereConsent } from "../plugin-install/severe-consent.tsx";
import { usePluginInstall } from "../plugin-install/use-plugin-install.ts";
import { Button } from "../ui/button.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { channelLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";

/** Installs the package of a channel, after the person has seen what it may do. The list of the channels is requested again then. */
export function InstallChannel({ channel }: { readonly channel: string }): React.JSX.Element {
  const toasts = useToasts();
  const [isSure, setSure] = useState(false);
  const { plan, isSevere, isChanged, progress, problem, look, accept } = usePluginInstall("plugins.install", ({ problems }) => {
    showProblems(toasts, problems);
  });
  const begun = useRef(false);
  useEffect(() => {
    // Looking changes nothing.
    if (begun.current) return;
    begun.current = true;
    look(channel);
  }, [look, channel]);
  return (
    <div className={styles["part"]}>
      <output>
        {isChanged ? <p className="problem">{t("It has changed since you looked at it. Look at it again.")}</p> : null}
        {plan === undefined ? null : (
          <div className="result">
            <PluginPlanView plan={plan} />
          </div>
        )}
        {progress === undefined ? null : <p className="note">{progress}</p>}
      </output>
      {isSevere ? <SevereConsent isSure={isSure} onChange={setSure} /> : null}
      {problem === undefined ? null : (
        <p className="problem" role="alert" dir="auto">
          {problem}
        </p>
      )}
      <div className="actions">
        {plan === undefined ? null : (
          <Button
            variant={isSevere ? "danger" : "primary"}
            busy={progress !== undefined}
            disabled={isSevere && !isSure}
            onClick={() => accept(channel)}
          >
            {t("Install {channel}", { channel: channelLabel(channel) })}
          </Button>
        )}
        {plan === undefined && problem !== undefined ? (
          <Button busy={progress !== undefined} onClick={() => look(channel)}>
            {t("Try again")}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
