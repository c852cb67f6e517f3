import styles from "./empty-state.module.css";

interface EmptyStateProps {
  /** What is missing, and how it comes to be. */
  readonly children: React.ReactNode;
  /** A button or link that makes the first one. */
  readonly action?: React.ReactNode;
}

/** Shown where a list has nothing yet. */
export function EmptyState({ children, action }: EmptyStateProps): React.JSX.Element {
  return (
    <div className={styles["empty"]}>
      <p>{children}</p>
      {action}
    </div>
  );
}
