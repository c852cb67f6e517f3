import { useNavigate, useSearch } from "@tanstack/react-router";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { HeartbeatPanel } from "./heartbeat-panel.tsx";
import { JobsPanel } from "./jobs-panel.tsx";
import { WebhooksPanel } from "./webhooks-panel.tsx";

/** What the assistant does by itself: jobs, heartbeats, and what other systems tell it. */
export function AutomationsPage(): React.JSX.Element {
  const { tab = "jobs" } = useSearch({ from: "/data/automations" });
  const navigate = useNavigate();
  return (
    <PageFrame title={t("Automations")}>
      <div className="page-scroll">
        <div className="page-content">
          <Tabs
            label={t("Automations")}
            tabs={[
              { id: "jobs", label: t("Jobs") },
              { id: "heartbeat", label: t("Heartbeat") },
              { id: "webhooks", label: t("Webhooks") },
            ]}
            selected={tab}
            onSelect={(next) => void navigate({ to: "/automations", search: { tab: next }, replace: true })}
          >
            {tab === "jobs" ? <JobsPanel /> : tab === "heartbeat" ? <HeartbeatPanel /> : <WebhooksPanel />}
          </Tabs>
        </div>
      </div>
    </PageFrame>
  );
}
