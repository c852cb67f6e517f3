import { useId } from "react";
import styles from "./menu.module.css";

interface MenuProps {
  /** Names the button. */
  readonly label: string;
  /** In the button, next to nothing else or a word. */
  readonly button: React.ReactNode;
  readonly className: string;
  /** Links, buttons and choices. A link or a button closes the menu. */
  readonly children: React.ReactNode;
}

/** A button with more below it: the browser's own popover, which closes on Escape and on a click outside, and gives the focus back. */
export function Menu({ label, button, className, children }: MenuProps): React.JSX.Element {
  const id = useId();
  return (
    <>
      <button type="button" className={className} popoverTarget={id} aria-label={label} title={label}>
        {button}
      </button>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the buttons inside take the keys; their click comes up to here */}
      <div
        id={id}
        popover="auto"
        className={styles["menu"]}
        onClick={({ currentTarget, target }) => {
          if (target instanceof HTMLElement && target.closest("a, button") !== null) currentTarget.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}
