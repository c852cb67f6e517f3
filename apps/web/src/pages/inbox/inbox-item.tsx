import { useId } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import styles from "./inbox.module.css";

interface InboxItemProps {
  readonly title: React.ReactNode;
  /** What it is, in a word or two. */
  readonly kind: string;
  readonly tone?: Tone;
  /** Short facts, such as where it comes from. */
  readonly facts?: React.ReactNode;
  readonly actions: React.ReactNode;
  readonly children: React.ReactNode;
}

/** One thing that waits for the owner, with what can be done about it. */
export function InboxItem({ title, kind, tone, facts, actions, children }: InboxItemProps): React.JSX.Element {
  const id = useId();
  return (
    <li className="list-item" tabIndex={-1} aria-labelledby={id}>
      <div className="item-head">
        <h2 id={id}>{title}</h2>
        <Badge {...(tone !== undefined && { tone })}>{kind}</Badge>
      </div>
      {children}
      {facts === undefined ? null : <div className="fact-line">{facts}</div>}
      <fieldset className={styles["actions"]} aria-labelledby={id}>
        {actions}
      </fieldset>
    </li>
  );
}
