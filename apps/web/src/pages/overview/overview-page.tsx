import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { ChannelsCard } from "./channels-card.tsx";
import { GatewayCard } from "./gateway-card.tsx";
import { ModelsCard } from "./models-card.tsx";
import styles from "./overview.module.css";
import { RunningCard } from "./running-card.tsx";
import { ScheduleCard } from "./schedule-card.tsx";
import { SetupCard } from "./setup-card.tsx";
import { UsageCard } from "./usage-card.tsx";

/** What is running, how the gateway, its channels and models are, what it has cost, and what runs next. */
export function OverviewPage(): React.JSX.Element {
  const status = useRpc("status", {});
  return (
    <PageFrame title={t("Overview")}>
      <div className="page-scroll">
        <Loaded query={status}>
          {(value) => (
            <div className={styles["grid"]}>
              <SetupCard channels={value.channels} schedule={value.schedule} />
              <RunningCard />
              <GatewayCard status={value} />
              <ChannelsCard channels={value.channels} />
              <ModelsCard status={value} />
              <UsageCard />
              <ScheduleCard schedule={value.schedule} />
            </div>
          )}
        </Loaded>
      </div>
    </PageFrame>
  );
}
