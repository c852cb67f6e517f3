import { useId, useRef } from "react";
import styles from "./tabs.module.css";

/** A tab of a page or a card. */
export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
}

interface TabsProps<Id extends string> {
  /** What the tabs are parts of, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** The panel of the selected tab. */
  readonly children: React.ReactNode;
}

/** Parts of which one is shown. Arrows, Home and End choose among the tabs, which are one tab stop; on a narrow page they take several rows. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>): React.JSX.Element {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const choose = (index: number): void => {
    const tab = tabs[(index + tabs.length) % tabs.length];
    if (tab === undefined) return;
    onSelect(tab.id);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${base}-${tab.id}`)}`)?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === selected);
    const isReversed = getComputedStyle(event.currentTarget).direction === "rtl";
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + (isReversed ? -1 : 1),
      ArrowLeft: at + (isReversed ? 1 : -1),
      Home: 0,
      End: tabs.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <div className={styles["tabs"]}>
      <div className={styles["list"]} role="tablist" aria-label={label} tabIndex={-1} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div className={styles["panel"]} role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
