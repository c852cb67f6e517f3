import { showProblems } from "../../data/show-problems.ts";
import { t } from "../../i18n/t.ts";
import { PluginPlanView } from "../../plugin-install/plugin-plan.tsx";
import { usePluginInstall } from "../../plugin-install/use-plugin-install.ts";
import { useToasts } from "../../ui/toasts.tsx";
import { InstallDialog } from "./install-dialog.tsx";

interface InstallPluginProps {
  /** The package that is to be updated; absent for a new one. */
  readonly updates?: string | undefined;
  readonly onClose: () => void;
}

/** The dialog in which a package is looked at and installed. */
export function InstallPlugin({ updates, onClose }: InstallPluginProps): React.JSX.Element {
  const toasts = useToasts();
  const install = usePluginInstall(
    updates === undefined ? "plugins.install" : "plugins.update",
    ({ name, version, problems, needsRestart }) => {
      toasts.show({ text: t("{name} {version} is installed.", { name, version }) });
      showProblems(toasts, problems);
      if (needsRestart) toasts.show({ text: t("Its new version is used after a restart of the gateway.") });
      onClose();
    },
  );
  const { plan, isSevere, isChanged, progress, problem, look, accept } = install;
  return (
    <InstallDialog
      title={updates === undefined ? t("Install a package") : t("Update {name}", { name: updates })}
      hint={t(
        "A folder or archive on the gateway's machine, such as /home/me/todo-list, or a package with its version, such as pigeon@1.0.0.",
      )}
      source={updates}
      plan={plan && { view: <PluginPlanView plan={plan} />, isSevere, isChanged }}
      progress={progress}
      problem={problem}
      onLook={look}
      onAccept={accept}
      onClose={onClose}
    />
  );
}
