import type { PluginInstallation, PluginPlan } from "@factotum/protocol";
import { useState } from "react";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { t } from "../i18n/t.ts";
import { describeWork } from "./plugin-words.ts";

/** Fetching may take minutes. */
const INSTALL_MS = 10 * 60_000;
/** How often it is asked how far an installation is. */
const PROGRESS_MS = 1_000;

/** A package that is being installed, in two steps. */
export interface PluginInstall {
  /** What it would do, once it was looked at. */
  readonly plan: PluginPlan | undefined;
  /** Some of what the scan found is severe: the person says that they have read it. */
  readonly isSevere: boolean;
  /** The package is another one than was accepted. */
  readonly isChanged: boolean;
  /** What is done now; absent while nothing is. */
  readonly progress: string | undefined;
  readonly problem: string | undefined;
  /** Fetches it. Nothing is installed, except an update that may do no more than before. */
  readonly look: (spec: string) => void;
  /** Installs what the plan shows. */
  readonly accept: (spec: string) => void;
}

/** Looks at a package, and installs it once what it would do was accepted. */
export function usePluginInstall(
  method: "plugins.install" | "plugins.update",
  onInstalled: (installed: Extract<PluginInstallation, { type: "installed" }>) => void,
): PluginInstall {
  const install = useRpcMutation(method, {
    timeoutMs: INSTALL_MS,
  });
  const packages = useRpc("plugins.list", {}, install.isPending ? { everyMs: PROGRESS_MS } : {});
  const [asking, setAsking] = useState<Extract<PluginInstallation, { type: "asks" }>>();
  const { plan, isChanged = false } = asking ?? {};
  const isSevere = plan?.findings.some(({ severity }) => severity === "severe") ?? false;
  const work = packages.data?.work;
  const send = (spec: string, accept?: { readonly accept: string; readonly acceptSevere: boolean }): void =>
    install.mutate({ spec, ...accept }, { onSuccess: (result) => (result.type === "asks" ? setAsking(result) : onInstalled(result)) });
  return {
    plan,
    isSevere,
    isChanged,
    progress: install.isPending ? (work === undefined ? t("One moment…") : describeWork(work)) : undefined,
    problem: install.error?.message,
    look: (spec) => send(spec),
    accept: (spec) => send(spec, { accept: plan?.digest ?? "", acceptSevere: isSevere }),
  };
}
