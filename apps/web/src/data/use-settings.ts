import type { ConfigView } from "@factotum/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import type { RpcError } from "../gateway-client/rpc-error.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { t } from "../i18n/t.ts";
import { useToasts } from "../ui/toasts.tsx";
import { useAction } from "./use-action.ts";
import { useRpc } from "./use-rpc.ts";

/** Settings of the configuration file that a page shows and changes. */
export interface Settings {
  readonly view: UseQueryResult<ConfigView, RpcError>;
  /**
   * Changes the file by a merge patch that was made for `read`: a change of the file since then is a conflict. A form keeps the `view` that it began with, since
   * that follows the file. Resolves with whether it was written; a toast says what has become of it, and whether it needs a restart.
   */
  readonly save: (patch: Readonly<Record<string, unknown>>, read: ConfigView) => Promise<boolean>;
  readonly isBusy: boolean;
}

/** The configuration file, and changes of it. */
export function useSettings(): Settings {
  const view = useRpc("config.get", {});
  const toasts = useToasts();
  const patching = useAction("config.patch");
  const restarting = useAction("gateway.restart");
  const save: Settings["save"] = async (patch, { baseHash }) => {
    const done = await patching.run({ baseHash, patch });
    if (done === undefined) return false;
    if (done.type === "kept") {
      toasts.show({
        kind: "error",
        text: [t("It is saved, but cannot be used:"), ...done.problems.map(gatewayText)].join(sentenceSpace()),
      });
      return true;
    }
    const needsRestart = done.needsRestart.length > 0;
    toasts.show({
      text: needsRestart ? t("Saved. It applies after a restart of the gateway.") : t("Saved."),
      ...(needsRestart && { action: { label: t("Restart"), run: () => void restarting.run({}) } }),
    });
    return true;
  };
  return { view, save, isBusy: patching.isBusy };
}
