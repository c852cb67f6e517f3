import type { ScanFinding } from "@factotum/protocol";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";
import { Badge } from "../ui/badge.tsx";
import styles from "./plugin-install.module.css";

/** What the scan of skills found, severe findings first. */
export function FindingList({ findings }: { readonly findings: readonly ScanFinding[] }): React.JSX.Element {
  if (findings.length === 0)
    return <p className="note">{t("The scan found nothing. It does not prove that a skill is harmless: read it.")}</p>;
  return (
    <ul className={styles["findings"]} aria-label={t("What the scan found")}>
      {findings.map(({ rule, severity, meaning, path, line, excerpt }) => (
        <li key={`${path} ${line ?? 0} ${rule}`}>
          <Badge tone={severity === "severe" ? "bad" : "neutral"}>{severity === "severe" ? t("Severe") : t("Notice")}</Badge>
          <span dir="auto">
            {line === undefined ? path : `${path}:${line}`} {gatewayText(meaning)}
          </span>
          {excerpt === undefined ? null : <code dir="auto">{excerpt}</code>}
        </li>
      ))}
    </ul>
  );
}
