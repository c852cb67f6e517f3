import type { JobSummary } from "@factotum/protocol";
import { t } from "../../i18n/t.ts";
import { Moment } from "../../ui/moment.tsx";
import { isSpread } from "./is-spread.ts";
import styles from "./automations.module.css";

/** When a job runs next, and why that is not exactly the time of its schedule. */
export function NextRun({ job: { nextAtMs, spec } }: { readonly job: Pick<JobSummary, "nextAtMs" | "spec"> }): React.ReactNode {
  if (nextAtMs === undefined) return "–";
  return (
    <span className={styles["when"]}>
      <Moment atMs={nextAtMs} />
      {isSpread(spec.schedule, spec.payload.type) ? <small>{t("within five minutes of the full hour")}</small> : null}
    </span>
  );
}
