import type { MemoryNoteVersion } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatSize } from "../../ui/format-size.ts";
import { TextDiff } from "../../ui/text-diff.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./memory.module.css";
import type { NoteProps } from "./note-props.ts";

interface NoteVersionsProps extends NoteProps {
  /** What the note holds now. */
  readonly present: string;
}

/** What a note held before, newest first, and what restoring each of them would change. */
export function NoteVersions({ agent, path, present }: NoteVersionsProps): React.JSX.Element {
  const found = useRpc("memory.versions", { path, ...(agent !== undefined && { agentId: agent }) });
  const [shown, setShown] = useState<string>();
  return (
    <Loaded query={found}>
      {({ versions }) =>
        versions.length === 0 ? (
          <EmptyState>
            {t("None yet. Each change by the assistant, and each of yours on this page, keeps what the note held before.")}
          </EmptyState>
        ) : (
          <ul className={styles["list"]}>
            {versions.map((version) => (
              <Version
                key={version.id}
                agent={agent}
                path={path}
                present={present}
                version={version}
                isShown={version.id === shown}
                onShow={() => setShown(version.id === shown ? undefined : version.id)}
              />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

interface VersionProps extends NoteVersionsProps {
  readonly version: MemoryNoteVersion;
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function Version({ agent, path, present, version, isShown, onShow }: VersionProps): React.JSX.Element {
  const { id, atMs, sizeBytes, untrusted } = version;
  const restoring = useAction("memory.restore");
  const toasts = useToasts();
  const restore = async (): Promise<void> => {
    const done = await restoring.run({ path, id, ...(agent !== undefined && { agentId: agent }) });
    if (done !== undefined) toasts.show({ text: t("{path} is as it was. What it held until now is its newest version.", { path }) });
  };
  return (
    <li className="list-item">
      <div className="item-head">
        <span>
          <time dateTime={new Date(atMs).toISOString()}>{t("Until {time}", { time: formatMoment(atMs) })}</time>{" "}
          <small>{formatSize(sizeBytes)}</small>
        </span>
        {untrusted ? <Badge tone="warning">{t("may hold text of others")}</Badge> : null}
      </div>
      {isShown ? <VersionDiff agent={agent} path={path} id={id} present={present} /> : null}
      <div className="actions">
        <Button aria-expanded={isShown} onClick={onShow}>
          {isShown ? t("Hide the differences") : t("Show the differences")}
        </Button>
        <Button busy={restoring.isBusy} onClick={() => void restore()}>
          {t("Restore")}
        </Button>
      </div>
    </li>
  );
}

function VersionDiff({ agent, path, id, present }: NoteVersionsProps & { readonly id: string }): React.JSX.Element {
  const version = useRpc("memory.version", { path, id, ...(agent !== undefined && { agentId: agent }) });
  return (
    <Loaded query={version}>{({ text }) => <TextDiff label={t("What restoring would change")} before={present} after={text} />}</Loaded>
  );
}
