import { useNavigate, useSearch } from "@tanstack/react-router";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { CapsCard } from "./caps-card.tsx";
import { GroupsCard } from "./groups-card.tsx";
import { PeriodControls } from "./period-controls.tsx";
import { SummaryCard } from "./summary-card.tsx";
import { periodOf } from "./usage-period.ts";
import styles from "./usage.module.css";

/** As many as the gateway gives at once. */
const MAX_GROUPS = 200;

/** What the requests of a period have used and cost, by what the person chooses, and what remains under today's limits. The address holds the choice. */
export function UsagePage(): React.JSX.Element {
  const search = useSearch({ from: "/data/usage" });
  const navigate = useNavigate();
  const period = periodOf(search);
  const isOrdered = period.from <= period.to;
  const { fromMs, toMs, by } = period;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const usage = useRpc("usage.query", { fromMs, toMs, timeZone, by: [by], limit: MAX_GROUPS }, { enabled: isOrdered });
  return (
    <PageFrame title={t("Usage")}>
      <div className="page-scroll">
        <div className={`page-content ${styles["content"]}`}>
          <PeriodControls
            period={period}
            isOrdered={isOrdered}
            onChange={(change) => void navigate({ to: "/usage", search: { ...search, ...change }, replace: true })}
          />
          {isOrdered ? (
            <Loaded query={usage}>
              {(report) => (
                <>
                  <SummaryCard report={report} />
                  <GroupsCard report={report} period={period} />
                  <CapsCard caps={report.caps} />
                </>
              )}
            </Loaded>
          ) : null}
        </div>
      </div>
    </PageFrame>
  );
}
