import { useId } from "react";
import styles from "./card.module.css";

interface CardProps {
  readonly title: string;
  /** At the right of the title. */
  readonly actions?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** A titled part of a page. */
export function Card({ title, actions, children }: CardProps): React.JSX.Element {
  const id = useId();
  return (
    <section className={styles["card"]} aria-labelledby={id}>
      <div className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
