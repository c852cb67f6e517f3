import type { RpcMethods, WorkspaceFileName } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { DraftConflict } from "../../drafts/draft-conflict.tsx";
import { useTextDraft } from "../../drafts/use-text-draft.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { TextDiff } from "../../ui/text-diff.tsx";
import { TextEditor } from "../../ui/text-editor.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { FileHistory } from "./file-history.tsx";
import styles from "./agent.module.css";

interface FileEditorProps {
  readonly agentId: string;
  readonly path: WorkspaceFileName;
  readonly keepsVersions: boolean;
}

type ReadFile = RpcMethods["files.read"]["result"];

/** One file: its text, what would change, and what it held before. */
export function FileEditor({ agentId, path, keepsVersions }: FileEditorProps): React.JSX.Element {
  const file = useRpc("files.read", { agentId, path });
  return (
    <section className={styles["editor"]} aria-label={path}>
      <Loaded query={file}>{(read) => <LoadedFile file={read} keepsVersions={keepsVersions} />}</Loaded>
    </section>
  );
}

function LoadedFile({ file, keepsVersions }: { readonly file: ReadFile; readonly keepsVersions: boolean }): React.JSX.Element {
  const { agentId, path } = file;
  const draft = useTextDraft(`file ${agentId}/${path}`, file);
  const [shown, setShown] = useState<"text" | "changes" | "history">("text");
  const writing = useAction("files.write");
  const toasts = useToasts();
  const save = async (): Promise<void> => {
    if (writing.isBusy) return;
    const isSaved = await draft.save(async (text, baseHash) => {
      const written = await writing.run({ agentId, path, text, baseHash });
      return written && { text, baseHash: written.baseHash };
    });
    if (isSaved) toasts.show({ text: t("{path} is saved.", { path }) });
  };
  const toggle = (what: "changes" | "history"): void => setShown(shown === what ? "text" : what);
  return (
    <>
      <div className={styles["bar"]}>
        <h2>{path}</h2>
        <div className="actions">
          <Button aria-pressed={shown === "history"} onClick={() => toggle("history")}>
            {t("History")}
          </Button>
          <Button aria-pressed={shown === "changes"} disabled={!draft.isChanged} onClick={() => toggle("changes")}>
            {t("Changes")}
          </Button>
          <Button disabled={!draft.isChanged} onClick={draft.discard}>
            {t("Discard")}
          </Button>
          <Button variant="primary" disabled={!draft.isChanged || draft.isOutdated} busy={writing.isBusy} onClick={() => void save()}>
            {t("Save")}
          </Button>
        </div>
      </div>
      <DraftConflict draft={draft} stored={file.text} />
      {shown === "history" ? (
        <FileHistory agentId={agentId} path={path} present={file.text} keepsVersions={keepsVersions} />
      ) : shown === "changes" && draft.isChanged ? (
        <TextDiff label={t("Changes of {path}", { path })} before={file.text} after={draft.text} />
      ) : (
        <TextEditor label={path} value={draft.text} onChange={draft.edit} onSave={() => void save()} />
      )}
      <p className="note" aria-live="polite">
        {draft.isChanged
          ? t("Not saved yet. It stays here while you look at other pages.")
          : file.text === ""
            ? t("Nothing stands here yet. Write it, and save.")
            : t("New conversations begin with this text. Others have it after /new.")}
      </p>
    </>
  );
}
