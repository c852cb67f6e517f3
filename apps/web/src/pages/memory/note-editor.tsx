import type { MemoryText } from "@factotum/protocol";
import { useAction } from "../../data/use-action.ts";
import { DraftConflict } from "../../drafts/draft-conflict.tsx";
import { useTextDraft } from "../../drafts/use-text-draft.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { TextEditor } from "../../ui/text-editor.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./memory.module.css";

/** The text of a note. It is saved over the one that it was made from alone; another change in between is shown first. */
export function NoteEditor({ note }: { readonly note: MemoryText }): React.JSX.Element {
  const { agentId, path } = note;
  const draft = useTextDraft(`note ${agentId}/${path}`, note);
  const writing = useAction("memory.write");
  const toasts = useToasts();
  const save = async (): Promise<void> => {
    if (writing.isBusy) return;
    if (await draft.save((text, baseHash) => writing.run({ agentId, path, text, baseHash })))
      toasts.show({ text: t("Saved. What the note held is among its versions.") });
  };
  return (
    <div className={styles["editing"]}>
      {note.untrusted ? (
        <p className={styles["lead"]}>{t("It may hold text of others, so the assistant is careful when it reads it.")}</p>
      ) : null}
      {note.hasSecrets ? (
        <p className={styles["lead"]}>{t("Secrets in it are hidden by marks. They stay in lines that you do not change.")}</p>
      ) : null}
      <DraftConflict draft={draft} stored={note.text} />
      <TextEditor label={t("Text of {path}", { path })} value={draft.text} onChange={draft.edit} onSave={() => void save()} />
      <div className="actions">
        <Button variant="primary" busy={writing.isBusy} disabled={!draft.isChanged || draft.isOutdated} onClick={() => void save()}>
          {t("Save")}
        </Button>
        <Button disabled={!draft.isChanged} onClick={draft.discard}>
          {t("Discard changes")}
        </Button>
      </div>
      <p className="note" aria-live="polite">
        {draft.isChanged ? t("Not saved yet. It stays here while you look at other pages.") : null}
      </p>
    </div>
  );
}
