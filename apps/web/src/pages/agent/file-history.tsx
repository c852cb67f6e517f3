import type { WorkspaceFileName, WorkspaceFileVersion } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextDiff } from "../../ui/text-diff.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./agent.module.css";

interface FileHistoryProps {
  readonly agentId: string;
  readonly path: WorkspaceFileName;
  /** What the file holds now. */
  readonly present: string;
  readonly keepsVersions: boolean;
}

/** What a file held before its changes, newest first; one of them against the present text, and the way back to it: the newest one at first. */
export function FileHistory({ agentId, path, present, keepsVersions }: FileHistoryProps): React.JSX.Element {
  const versions = useRpc("files.versions", { agentId, path });
  const [chosen, setChosen] = useState<{ readonly id: string | undefined }>();
  return (
    <Loaded query={versions}>
      {({ versions: all }) =>
        all.length === 0 ? (
          <EmptyState>
            {keepsVersions
              ? t("Nothing yet. Each change keeps what the file held before.")
              : t("No versions are kept: the setting tools.checkpoints is off.")}
          </EmptyState>
        ) : (
          <ul className={styles["versions"]} aria-label={t("Versions of {path}", { path })}>
            {all.map((version, index) => {
              const isOpen = chosen === undefined ? index === 0 : chosen.id === version.id;
              return (
                <li key={version.id}>
                  <VersionRow version={version} isOpen={isOpen} onOpen={() => setChosen({ id: isOpen ? undefined : version.id })} />
                  {isOpen ? <Version agentId={agentId} path={path} id={version.id} present={present} /> : null}
                </li>
              );
            })}
          </ul>
        )
      }
    </Loaded>
  );
}

function VersionRow({
  version: { atMs, untrusted },
  isOpen,
  onOpen,
}: {
  readonly version: WorkspaceFileVersion;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}): React.JSX.Element {
  return (
    <button type="button" className={styles["version"]} aria-expanded={isOpen} onClick={onOpen}>
      {t("Until {time}", { time: formatMoment(atMs) })}
      {untrusted ? <Badge tone="warning">{t("May hold text of others")}</Badge> : null}
    </button>
  );
}

interface VersionProps {
  readonly agentId: string;
  readonly path: WorkspaceFileName;
  readonly id: string;
  readonly present: string;
}

function Version({ agentId, path, id, present }: VersionProps): React.JSX.Element {
  const version = useRpc("files.version", { agentId, path, id });
  const restore = useAction("files.restore");
  const toasts = useToasts();
  const run = async (): Promise<void> => {
    if ((await restore.run({ agentId, path, id })) === undefined) return;
    toasts.show({ text: t("{path} is as it was. What it held until now is its newest version.", { path }) });
  };
  return (
    <Loaded query={version}>
      {({ text }) => (
        <div className={styles["past"]}>
          <p className="note">{t("What restoring it would change:")}</p>
          <TextDiff label={t("What restoring would change")} before={present} after={text} />
          <div className="actions">
            <Button busy={restore.isBusy} disabled={text === present} onClick={() => void run()}>
              {t("Restore")}
            </Button>
          </div>
        </div>
      )}
    </Loaded>
  );
}
