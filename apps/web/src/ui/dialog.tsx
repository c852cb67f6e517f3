import { useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";
import { t } from "../i18n/t.ts";

interface DialogProps {
  readonly title: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

/** The browser's own modal dialog: it focuses the element inside with `data-initial-focus`, traps the focus, closes on Escape and restores the focus. A click outside closes it too. */
export function Dialog({ title, className, onClose, children }: DialogProps): React.JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return undefined;
    element.showModal();
    // By itself it focuses its first button.
    element.querySelector<HTMLElement>("[data-initial-focus]")?.focus();
    const outside = (event: MouseEvent): void => {
      if (event.target === element) element.close();
    };
    element.addEventListener("click", outside);
    return () => {
      element.removeEventListener("click", outside);
      element.close();
    };
  }, []);
  return (
    <dialog ref={dialog} className={className ?? "modal"} aria-labelledby={titleId} onClose={onClose}>
      <div className="modal-body">
        <div className="modal-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button" aria-label={t("Close")} onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
