import type { RpcMethods, WorkspaceFileName } from "@factotum/protocol";
import { useState } from "react";
import { useRpc, useRpcMutation } from "../../data/use-rpc.ts";
import { Loaded } from "../../data/loaded.tsx";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { TextDiff } from "../../ui/text-diff.tsx";
import { TextEditor } from "../../ui/text-editor.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { useFileDraft } from "./use-file-draft.ts";
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
  const [draft, setDraft] = useFileDraft(agentId, path);
  const [shown, setShown] = useState<"text" | "changes" | "history">("text");
  const save = useSave(file, { draft, setDraft });
  const text = draft?.text ?? file.text;
  // The file was changed by something else while it was edited here.
  const isConflict = draft !== undefined && draft.baseHash !== file.baseHash && file.text !== draft.text;
  const toggle = (what: "changes" | "history"): void => setShown(shown === what ? "text" : what);
  const edit = (next: string): void =>
    setDraft(
      next === file.text ? undefined : { text: next, before: draft?.before ?? file.text, baseHash: draft?.baseHash ?? file.baseHash },
    );
  return (
    <>
      <div className={styles["bar"]}>
        <h2>{path}</h2>
        <div className="actions">
          <Button aria-pressed={shown === "history"} onClick={() => toggle("history")}>
            {t("History")}
          </Button>
          <Button aria-pressed={shown === "changes"} disabled={draft === undefined} onClick={() => toggle("changes")}>
            {t("Changes")}
          </Button>
          <Button disabled={draft === undefined} onClick={() => setDraft(undefined)}>
            {t("Discard")}
          </Button>
          <Button variant="primary" disabled={draft === undefined || isConflict} busy={save.isPending} onClick={() => save.run()}>
            {t("Save")}
          </Button>
        </div>
      </div>
      {isConflict ? <Conflict file={file} text={text} onMine={() => save.run(file.baseHash)} onTheirs={() => setDraft(undefined)} /> : null}
      {shown === "history" ? (
        <FileHistory agentId={agentId} path={path} present={file.text} keepsVersions={keepsVersions} />
      ) : shown === "changes" && draft !== undefined ? (
        <TextDiff label={t("Changes of {path}", { path })} before={file.text} after={draft.text} />
      ) : (
        <TextEditor label={path} value={text} onChange={edit} onSave={() => (draft === undefined || isConflict ? undefined : save.run())} />
      )}
      <p className="note" aria-live="polite">
        {draft === undefined
          ? file.text === ""
            ? t("Nothing stands here yet. Write it, and save.")
            : t("New conversations begin with this text. Others have it after /new.")
          : t("Not saved yet. It stays here while you look at other pages.")}
      </p>
    </>
  );
}

interface Saving {
  readonly isPending: boolean;
  /** `over`: the hash of what is there, if that is to be replaced although it is not what was edited. */
  readonly run: (over?: string) => void;
}

function useSave(
  file: ReadFile,
  { draft, setDraft }: { draft: ReturnType<typeof useFileDraft>[0]; setDraft: ReturnType<typeof useFileDraft>[1] },
): Saving {
  const { agentId, path } = file;
  const toasts = useToasts();
  const write = useRpcMutation("files.write", { changes: ["agents"] });
  const run = (over?: string): void => {
    if (draft === undefined || write.isPending) return;
    write.mutate(
      { agentId, path, text: draft.text, baseHash: over ?? draft.baseHash },
      {
        onSuccess: () => {
          setDraft(undefined);
          toasts.show({ text: t("{path} is saved.", { path }) });
        },
        // A conflict is shown with both texts, once the file was read again.
        onError: (error) => {
          if (!(error instanceof RpcError && error.code === "conflict")) toasts.show({ kind: "error", text: error.message });
        },
      },
    );
  };
  return { isPending: write.isPending, run };
}

interface ConflictProps {
  readonly file: ReadFile;
  readonly text: string;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** The file and the edited text, of which one is kept. */
function Conflict({ file, text, onMine, onTheirs }: ConflictProps): React.JSX.Element {
  return (
    <div className={styles["conflict"]} role="alert">
      <p>{t("The file has changed while you edited it. This is how your text differs from it:")}</p>
      <TextDiff label={t("Your text against the file")} before={file.text} after={text} />
      <div className="actions">
        <Button onClick={onTheirs}>{t("Take the file")}</Button>
        <Button variant="danger" onClick={onMine}>
          {t("Save mine over it")}
        </Button>
      </div>
    </div>
  );
}
