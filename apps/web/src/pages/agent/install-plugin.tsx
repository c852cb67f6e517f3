import type { PluginInstallation } from "@factotum/protocol";
import { useState } from "react";
import { useRpc, useRpcMutation } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { useToasts } from "../../ui/toasts.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { PluginPlanView } from "./plugin-plan.tsx";
import { describeWork } from "./plugin-words.ts";

/** Fetching may take minutes. */
const INSTALL_MS = 10 * 60_000;
/** How often it is asked how far an installation is. */
const PROGRESS_MS = 1_000;

type Asking = Extract<PluginInstallation, { type: "asks" }>;

interface InstallPluginProps {
  /** The package that is to be updated; absent for a new one. */
  readonly updates?: string | undefined;
  readonly onClose: () => void;
}

/** The dialog in which a package is looked at and installed. */
export function InstallPlugin({ updates, onClose }: InstallPluginProps): React.JSX.Element {
  const toasts = useToasts();
  const install = useRpcMutation(updates === undefined ? "plugins.install" : "plugins.update", {
    timeoutMs: INSTALL_MS,
    changes: ["skills", "servers", "tools", "channels", "models", "commands"],
  });
  const packages = useRpc("plugins.list", {}, install.isPending ? { everyMs: PROGRESS_MS } : {});
  const [asking, setAsking] = useState<Asking>();
  const work = packages.data?.work;
  const send = (spec: string, accept?: { readonly accept: string; readonly acceptSevere: boolean }): void =>
    install.mutate(
      { spec, ...accept },
      {
        onSuccess: (result) => {
          if (result.type === "asks") {
            setAsking(result);
            return;
          }
          toasts.show({ text: t("{name} {version} is installed.", { name: result.name, version: result.version }) });
          for (const problem of result.problems) toasts.show({ kind: "error", text: problem });
          if (result.needsRestart) toasts.show({ text: t("Its new version is used after a restart of the gateway.") });
          onClose();
        },
      },
    );
  const plan = asking?.plan;
  const isSevere = plan?.findings.some(({ severity }) => severity === "severe") ?? false;
  return (
    <InstallDialog
      title={updates === undefined ? t("Install a package") : t("Update {name}", { name: updates })}
      hint={t(
        "A folder or archive on the gateway's machine, such as /home/me/todo-list, or a package with its version, such as pigeon@1.0.0.",
      )}
      source={updates}
      plan={plan && { view: <PluginPlanView plan={plan} />, isSevere, isChanged: asking?.isChanged === true }}
      progress={install.isPending ? (work === undefined ? t("One moment…") : describeWork(work)) : undefined}
      problem={install.error?.message}
      onLook={(spec) => send(spec)}
      onAccept={(spec) => send(spec, { accept: plan?.digest ?? "", acceptSevere: isSevere })}
      onClose={onClose}
    />
  );
}
