import { Link } from "@tanstack/react-router";
import styles from "./configuration.module.css";

/** A key that leads to its control. */
export function KeyLink({ path, children }: { readonly path: string; readonly children?: React.ReactNode }): React.JSX.Element {
  const [group = ""] = /^[^.[]+/.exec(path) ?? [];
  return (
    <Link to="/settings/{-$section}" params={{ section: "configuration" }} search={{ group, key: path }} className={styles["link"]}>
      {children ?? <code dir="ltr">{path}</code>}
    </Link>
  );
}
