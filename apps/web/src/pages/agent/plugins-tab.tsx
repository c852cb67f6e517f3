import type { PluginPackage } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { showProblems } from "../../data/show-problems.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { InstallPlugin } from "./install-plugin.tsx";
import { describePart } from "../../plugin-install/plugin-words.ts";
import styles from "./agent.module.css";

const REMOVE_MS = 10 * 60_000;

/** The packages that were added to the product, for all agents. */
export function PluginsTab(): React.JSX.Element {
  const packages = useRpc("plugins.list", {});
  const [open, setOpen] = useState<{ readonly updates?: string }>();
  // Here, and not in a row, which is gone when it has ended.
  const { run, isBusy } = usePackageChanges();
  return (
    <>
      <div className={styles["bar"]}>
        <p className="note">{t("Packages give all agents more tools, skills, servers, models or channels.")}</p>
        <Button variant="primary" onClick={() => setOpen({})}>
          {t("Install…")}
        </Button>
      </div>
      <Loaded query={packages}>
        {({ packages: all }) => {
          const added = all.filter(({ source }) => source !== "built-in");
          return added.length === 0 ? (
            <EmptyState>{t("No packages yet. Channels of this version are built in and need none.")}</EmptyState>
          ) : (
            <ul className={styles["items"]} aria-label={t("Packages")}>
              {added.map((one) => (
                <li key={one.name}>
                  <PackageItem
                    found={one}
                    isBusy={isBusy}
                    onRun={(what) => void run(one.name, what)}
                    onUpdate={() => setOpen({ updates: one.name })}
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {open === undefined ? null : <InstallPlugin updates={open.updates} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface PackageItemProps {
  readonly found: PluginPackage;
  readonly isBusy: boolean;
  readonly onRun: (what: PackageChange) => void;
  readonly onUpdate: () => void;
}

function PackageItem({ found, isBusy, onRun: run, onUpdate }: PackageItemProps): React.JSX.Element {
  const { name, version = "", provides, problems, canSwitch, isEnabled, source } = found;
  const [isAsking, setAsking] = useState(false);
  return (
    <article className="list-item">
      <div className={styles["bar"]}>
        <h2>
          <bdi>{name}</bdi> {version}
        </h2>
        {problems.length > 0 ? <Badge tone="bad">{t("Has problems")}</Badge> : isEnabled ? null : <Badge>{t("Switched off")}</Badge>}
        <div className="actions">
          {canSwitch ? (
            <Button busy={isBusy} onClick={() => run(isEnabled ? "disable" : "enable")}>
              {isEnabled ? t("Switch off") : t("Switch on")}
              <span className="sr-only"> {name}</span>
            </Button>
          ) : null}
          {source === "installed" ? (
            <>
              <Button onClick={onUpdate}>
                {t("Update…")}
                <span className="sr-only"> {name}</span>
              </Button>
              <Button busy={isBusy} onClick={() => setAsking(true)}>
                {t("Remove…")}
                <span className="sr-only"> {name}</span>
              </Button>
            </>
          ) : null}
        </div>
      </div>
      <p className="note" dir="auto">
        {provides.map(describePart).join(" · ")}
      </p>
      {problems.map((problem) => (
        <p key={problem} className="problem" dir="auto">
          {gatewayText(problem)}
        </p>
      ))}
      {isAsking ? (
        <ConfirmDialog
          title={t("Remove {name}?", { name })}
          text={t(
            "Its tools, skills and servers are gone at once, and so are the logins of its servers. Its settings stay in the configuration.",
          )}
          yes={t("Remove")}
          danger
          onConfirm={() => run("remove")}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </article>
  );
}

type PackageChange = "enable" | "disable" | "remove";

function usePackageChanges(): { readonly run: (name: string, what: PackageChange) => Promise<void>; readonly isBusy: boolean } {
  const toasts = useToasts();
  const enable = useAction("plugins.enable");
  const disable = useAction("plugins.disable");
  const remove = useAction("plugins.remove", { timeoutMs: REMOVE_MS });
  const run = async (name: string, what: PackageChange): Promise<void> => {
    const result: { readonly name: string; readonly problems?: readonly string[] } | undefined = await { enable, disable, remove }[
      what
    ].run({ name });
    if (result === undefined) return;
    const done = {
      enable: t("{name} is on.", { name }),
      disable: t("{name} is off.", { name }),
      remove: t("{name} is removed.", { name }),
    }[what];
    toasts.show({ text: done });
    showProblems(toasts, result.problems ?? []);
  };
  return { run, isBusy: enable.isBusy || disable.isBusy || remove.isBusy };
}
