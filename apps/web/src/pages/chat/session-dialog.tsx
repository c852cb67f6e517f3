import type { SessionSummary } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useController } from "../../app/app-context.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { t } from "../../i18n/t.ts";
import { focusOnce } from "../../ui/focus-once.ts";

interface SessionDialogProps {
  readonly session: SessionSummary;
  /** Its title on the page. */
  readonly title: string;
  readonly onClose: () => void;
}

/** Renames, exports, resets or deletes a session. A reset asks for confirmation; a deletion can be undone briefly. */
export function SessionDialog({ session, title, onClose }: SessionDialogProps): React.JSX.Element {
  const controller = useController();
  const [label, setLabel] = useState(title);
  const [isAsking, setAsking] = useState(false);

  const save = (event: FormEvent): void => {
    event.preventDefault();
    // The generated title is not the person's own name.
    if (label.trim() !== title) void controller.rename(session.key, label);
    onClose();
  };
  const confirm = (): void => {
    void controller.reset(session.key);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {isAsking ? (
        <>
          <p>{t("Start this conversation over? Its messages stay in the archive and are no longer shown here.")}</p>
          <div className="dialog-actions">
            {/* The safe answer has the focus. */}
            <button type="button" className="button" ref={focusOnce} onClick={() => setAsking(false)}>
              {t("Cancel")}
            </button>
            <button type="button" className="button danger" onClick={confirm}>
              {t("Start over")}
            </button>
          </div>
        </>
      ) : (
        <>
          <form onSubmit={save} className="dialog-form">
            <label className="field">
              <span>{t("Name")}</span>
              <input
                ref={selectOnce}
                type="text"
                maxLength={200}
                value={label}
                placeholder={title}
                onChange={(event) => setLabel(event.target.value)}
              />
            </label>
            <button type="submit" className="button primary">
              {t("Save name")}
            </button>
          </form>
          <SessionActions session={session} title={title} onAsk={() => setAsking(true)} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

/** What can be done with a session at once. */
function SessionActions({ session, title, onAsk, onClose }: SessionDialogProps & { readonly onAsk: () => void }): React.JSX.Element {
  const controller = useController();
  return (
    <div className="dialog-actions apart">
      <button
        type="button"
        className="button"
        onClick={() => {
          void controller.mark(session.key, { pinned: session.pinned !== true });
          onClose();
        }}
      >
        {session.pinned === true ? t("Unpin") : t("Pin")}
      </button>
      <button
        type="button"
        className="button"
        onClick={() => {
          void controller.mark(session.key, { archived: session.archived !== true });
          onClose();
        }}
      >
        {session.archived === true ? t("Take out of the archive") : t("Archive")}
      </button>
      <button type="button" className="button" onClick={() => onAsk()}>
        {t("Start over…")}
      </button>
      <button
        type="button"
        className="button"
        onClick={() => {
          void controller.export(session.key, title);
          onClose();
        }}
      >
        {t("Export")}
      </button>
      <button
        type="button"
        className="button danger"
        onClick={() => {
          controller.remove(session.key, title);
          onClose();
        }}
      >
        {t("Delete")}
      </button>
    </div>
  );
}

function selectOnce(element: HTMLInputElement | null): void {
  // The dialog itself has focused its first button.
  if (element !== null) queueMicrotask(() => element.select());
}
