import { t } from "../i18n/t.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly text: string;
  /** The action's own word, not "OK". */
  readonly yes: string;
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone. The safe answer has the focus. What can be undone is done at once, with a toast that undoes it. */
export function ConfirmDialog({ title, text, yes, danger = false, onConfirm, onClose }: ConfirmDialogProps): React.JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div className="dialog-actions">
        <Button data-initial-focus onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button
          variant={danger ? "danger" : "primary"}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}
