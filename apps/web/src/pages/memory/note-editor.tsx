import type { MemoryText } from "@factotum/protocol";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../data/use-action.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextDiff } from "../../ui/text-diff.tsx";
import { TextEditor } from "../../ui/text-editor.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./memory.module.css";
import type { NoteProps } from "./note-props.ts";

interface NoteEditorProps extends NoteProps {
  /** As it is stored now. */
  readonly note: MemoryText;
}

/** A changed text, and the note that it was made from. */
interface Edit {
  readonly text: string;
  readonly base: MemoryText;
}

/** The text of a note. It is saved over the one that it was made from alone; another change in between is shown first. */
export function NoteEditor({ agent, path, note }: NoteEditorProps): React.JSX.Element {
  const [edit, setEdit] = useState<Edit>();
  const writing = useAction("memory.write");
  const toasts = useToasts();
  const isChanged = edit !== undefined && edit.text !== edit.base.text;
  const isOutdated = isChanged && edit.base.baseHash !== note.baseHash && edit.text !== note.text;
  const leaving = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: () => isChanged, withResolver: true });
  const save = async (): Promise<void> => {
    if (!isChanged || writing.isBusy) return;
    const { text, base } = edit;
    const written = await writing.run({ path, text, baseHash: base.baseHash, ...(agent !== undefined && { agentId: agent }) });
    if (written === undefined) return;
    // What was typed meanwhile stays.
    setEdit((now) => (now === undefined || now.text === text ? undefined : { text: now.text, base: written }));
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
      <TextEditor
        label={t("Text of {path}", { path })}
        value={edit?.text ?? note.text}
        onChange={(text) =>
          setEdit((before) => (before === undefined && text === note.text ? undefined : { text, base: before?.base ?? note }))
        }
        onSave={() => void save()}
      />
      {isOutdated ? (
        <Outdated
          mine={edit.text}
          stored={note}
          onKeep={() => setEdit({ text: edit.text, base: note })}
          onDrop={() => setEdit(undefined)}
        />
      ) : (
        <div className="actions">
          <Button variant="primary" busy={writing.isBusy} disabled={!isChanged} onClick={() => void save()}>
            {t("Save")}
          </Button>
          <Button disabled={!isChanged} onClick={() => setEdit(undefined)}>
            {t("Discard changes")}
          </Button>
        </div>
      )}
      {leaving.status === "blocked" ? (
        <ConfirmDialog
          title={t("Leave without saving?")}
          text={t("What you have changed in this note is lost.")}
          yes={t("Leave")}
          danger
          onConfirm={leaving.proceed}
          onClose={leaving.reset}
        />
      ) : null}
    </div>
  );
}

interface OutdatedProps {
  readonly mine: string;
  readonly stored: MemoryText;
  readonly onKeep: () => void;
  readonly onDrop: () => void;
}

/** The note has changed meanwhile: what would be overwritten. */
function Outdated({ mine, stored, onKeep, onDrop }: OutdatedProps): React.JSX.Element {
  return (
    <section className={styles["outdated"]} role="alert">
      <p>{t("The note has changed meanwhile. This is what saving your text would do to it:")}</p>
      <TextDiff label={t("From the stored note to yours")} before={stored.text} after={mine} />
      <div className="actions">
        <Button onClick={onKeep}>{t("Keep mine")}</Button>
        <Button onClick={onDrop}>{t("Take the stored one")}</Button>
      </div>
    </section>
  );
}
