import type { SessionSummary } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useController } from "./app-context.ts";
import { Modal } from "./modal.tsx";

type Question = { readonly type: "none" } | { readonly type: "reset" | "delete"; readonly text: string; readonly yes: string };

const NO_QUESTION: Question = { type: "none" };
const RESET: Question = {
  type: "reset",
  text: "Begin this conversation anew? What was said is kept in the archive and not shown here any more.",
  yes: "Start over",
};
const DELETE: Question = { type: "delete", text: "Delete this conversation? What is running in it is stopped first.", yes: "Delete" };

interface SessionDialogProps {
  readonly session: SessionSummary;
  /** What the page calls it. */
  readonly title: string;
  readonly onClose: () => void;
}

/** Renames, restarts or deletes a session; the last two ask first. */
export function SessionDialog({ session, title, onClose }: SessionDialogProps): React.JSX.Element {
  const controller = useController();
  const [label, setLabel] = useState(session.label ?? "");
  const [question, setQuestion] = useState<Question>(NO_QUESTION);

  const save = (event: FormEvent): void => {
    event.preventDefault();
    void controller.rename(session.key, label);
    onClose();
  };
  const confirm = (): void => {
    void (question.type === "delete" ? controller.remove(session.key) : controller.reset(session.key));
    onClose();
  };
  return (
    <Modal title={title} onClose={onClose}>
      {question.type === "none" ? (
        <>
          <form onSubmit={save} className="dialog-form">
            <label className="field">
              <span>Name</span>
              <input type="text" maxLength={200} value={label} placeholder={title} onChange={(event) => setLabel(event.target.value)} />
            </label>
            <button type="submit" className="button primary">
              Save name
            </button>
          </form>
          <div className="dialog-actions apart">
            <button type="button" className="button" onClick={() => setQuestion(RESET)}>
              Start over…
            </button>
            <button type="button" className="button danger" onClick={() => setQuestion(DELETE)}>
              Delete…
            </button>
          </div>
        </>
      ) : (
        <>
          <p>{question.text}</p>
          <div className="dialog-actions">
            {/* The safe answer has the focus. */}
            <button type="button" className="button" ref={focusOnce} onClick={() => setQuestion(NO_QUESTION)}>
              Cancel
            </button>
            <button type="button" className="button danger" onClick={confirm}>
              {question.yes}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}

function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}
