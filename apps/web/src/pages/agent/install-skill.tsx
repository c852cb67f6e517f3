import type { SkillInstallation } from "@factotum/protocol";
import { useState } from "react";
import { useRpcMutation } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { useToasts } from "../../ui/toasts.tsx";
import { FindingList } from "../../plugin-install/finding-list.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import styles from "./agent.module.css";

/** Fetching may take minutes. */
const INSTALL_MS = 10 * 60_000;

type Asking = Extract<SkillInstallation, { type: "asks" }>;

/** The dialog in which a skill is looked at and installed. */
export function InstallSkill({ onClose }: { readonly onClose: () => void }): React.JSX.Element {
  const toasts = useToasts();
  const install = useRpcMutation("skills.install", { timeoutMs: INSTALL_MS });
  const [asking, setAsking] = useState<Asking>();
  const plan = asking?.plan;
  const isSevere = plan?.findings.some(({ severity }) => severity === "severe") ?? false;
  const send = (source: string, accept?: { readonly accept: string; readonly acceptSevere: boolean }): void =>
    install.mutate(
      { source, ...accept },
      {
        onSuccess: (result) => {
          if (result.type === "asks") {
            setAsking(result);
            return;
          }
          toasts.show({ text: t("{name} is installed. New conversations use it at once.", { name: result.name }) });
          onClose();
        },
      },
    );
  return (
    <InstallDialog
      title={t("Install a skill")}
      hint={t("A folder or archive on the gateway's machine, or a git repository, such as https://example.com/skills.git#main.")}
      plan={
        plan && {
          view: (
            <div className={styles["plan"]}>
              <p>
                <strong>
                  <bdi>{plan.name}</bdi> {plan.version}
                </strong>
              </p>
              <p dir="auto">{gatewayText(plan.description)}</p>
              <FindingList findings={plan.findings} />
            </div>
          ),
          isSevere,
          isChanged: asking?.isChanged === true,
        }
      }
      progress={install.isPending ? t("One moment…") : undefined}
      problem={install.error?.message}
      onLook={(source) => send(source)}
      onAccept={(source) => send(source, { accept: plan?.digest ?? "", acceptSevere: isSevere })}
      onClose={onClose}
    />
  );
}
