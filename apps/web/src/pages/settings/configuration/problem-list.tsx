import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import type { FormProblem } from "../../../ui/schema-form/form-facts.ts";
import { KeyLink } from "./key-link.tsx";
import styles from "./configuration.module.css";

/** What is wrong, with the way to each key. */
export function ProblemList({
  label,
  problems,
}: {
  readonly label?: string;
  readonly problems: readonly FormProblem[];
}): React.JSX.Element {
  return (
    <ul className={styles["list"]} aria-label={label}>
      {problems.map(({ path, message, line }) => (
        <li key={`${path} ${message}`} dir="auto">
          {path === "" ? null : <KeyLink path={path} />} {gatewayText(message)}
          {line === undefined ? null : t(" (line {line})", { line })}
        </li>
      ))}
    </ul>
  );
}
