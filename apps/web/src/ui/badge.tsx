import styles from "./badge.module.css";

/** How something is: the colour of a badge. Its words say the same. */
export type Tone = "neutral" | "good" | "warning" | "bad";

/** A state in one or two words. */
export function Badge({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: React.ReactNode }): React.JSX.Element {
  return <span className={`${styles["badge"]} ${styles[tone]}`}>{children}</span>;
}
