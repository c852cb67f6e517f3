import type { KnowledgeFile } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatSize } from "../../ui/format-size.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { DropArea } from "./drop-area.tsx";

/** Files in which the agent looks things up. Files dropped anywhere on it are added. */
export function KnowledgeTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const files = useRpc("files.list", { agentId });
  const toasts = useToasts();
  // Here, and not in the list, which is gone with its last file.
  const remove = useAction("files.remove");
  const run = async (name: string): Promise<void> => {
    if ((await remove.run({ agentId, name })) !== undefined) toasts.show({ text: t("{name} is removed.", { name }) });
  };
  return (
    <DropArea agentId={agentId}>
      <Loaded query={files}>
        {({ knowledge }) =>
          knowledge.length === 0 ? (
            <EmptyState>
              {t(
                "Nothing yet. Put in what the agent should look things up in: a handbook, a price list, a contract. It reads a file when it needs it.",
              )}
            </EmptyState>
          ) : (
            <KnowledgeList files={knowledge} onRemove={(name) => void run(name)} />
          )
        }
      </Loaded>
    </DropArea>
  );
}

interface KnowledgeListProps {
  readonly files: readonly KnowledgeFile[];
  readonly onRemove: (name: string) => void;
}

function KnowledgeList({ files, onRemove }: KnowledgeListProps): React.JSX.Element {
  const [removed, setRemoved] = useState<string>();
  const columns: readonly Column<KnowledgeFile>[] = [
    { id: "name", title: t("File"), cell: ({ name }) => <bdi>{name}</bdi>, sortBy: ({ name }) => name },
    { id: "size", title: t("Size"), align: "end", cell: ({ sizeBytes }) => formatSize(sizeBytes), sortBy: ({ sizeBytes }) => sizeBytes },
    { id: "changed", title: t("Changed"), cell: ({ changedAtMs }) => formatMoment(changedAtMs), sortBy: ({ changedAtMs }) => changedAtMs },
    {
      id: "remove",
      title: t("Actions"),
      cell: ({ name }) => (
        <Button variant="text" aria-label={`${t("Remove…")} ${name}`} onClick={() => setRemoved(name)}>
          {t("Remove…")}
        </Button>
      ),
    },
  ];
  return (
    <>
      <Table caption={t("Knowledge")} columns={columns} rows={files} keyOf={({ name }) => name} />
      <p className="note">{t("What stands in these files counts as yours. Add none that you do not trust.")}</p>
      {removed === undefined ? null : (
        <ConfirmDialog
          title={t("Remove {name}?", { name: removed })}
          text={t("The file is deleted from the agent's folder. It cannot be brought back from here.")}
          yes={t("Remove")}
          danger
          onConfirm={() => onRemove(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
}
