import { useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";

interface ModalProps {
  readonly title: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

/** The browser's own modal dialog: it traps the focus, closes on Escape and restores the focus. A click outside closes it too. */
export function Modal({ title, className, onClose, children }: ModalProps): React.JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return undefined;
    element.showModal();
    const beside = (event: MouseEvent): void => {
      if (event.target === element) element.close();
    };
    element.addEventListener("click", beside);
    return () => {
      element.removeEventListener("click", beside);
      element.close();
    };
  }, []);
  return (
    <dialog ref={dialog} className={className ?? "modal"} aria-labelledby={titleId} onClose={onClose}>
      <div className="modal-body">
        <div className="modal-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
