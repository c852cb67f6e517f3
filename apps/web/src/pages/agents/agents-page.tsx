import { useState } from "react";
import type { Agent } from "../../app/app-state.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { AgentDialog } from "./agent-dialog.tsx";
import { AgentItem } from "./agent-item.tsx";
import { BindingsCard } from "./bindings-card.tsx";
import { SubagentsCard } from "./subagents-card.tsx";
import styles from "./agents.module.css";

/** The agents, which messages each answers, and what their sub-agents do now. */
export function AgentsPage(): React.JSX.Element {
  const agents = useRpc("agents.list", {});
  const bindings = useRpc("agents.bindings", {});
  const [isAdding, setAdding] = useState(false);
  const toasts = useToasts();
  // Here, and not in a row, which is gone when it has ended.
  const remove = useAction("agents.remove");
  const run = async ({ id, name }: Agent): Promise<void> => {
    if ((await remove.run({ id })) !== undefined) toasts.show({ text: t("{name} is removed.", { name }) });
  };
  return (
    <PageFrame title={t("Agents")}>
      <div className="page-scroll">
        <div className="page-content">
          <Loaded query={agents}>
            {({ agents: all }) => (
              <>
                <Card
                  title={t("Agents")}
                  actions={
                    <Button variant="primary" onClick={() => setAdding(true)}>
                      {t("Add an agent…")}
                    </Button>
                  }
                >
                  <ul className={styles["agents"]} aria-label={t("Agents")}>
                    {all.map((agent) => (
                      <li key={agent.id}>
                        <AgentItem
                          isRemoving={remove.isBusy}
                          onRemove={() => void run(agent)}
                          agent={agent}
                          bindings={bindings.data?.bindings.filter(({ agentId }) => agentId === agent.id).length ?? 0}
                        />
                      </li>
                    ))}
                  </ul>
                </Card>
                <Loaded query={bindings}>{(found) => <BindingsCard agents={all} {...found} />}</Loaded>
                <SubagentsCard />
              </>
            )}
          </Loaded>
        </div>
      </div>
      {isAdding ? <AgentDialog onClose={() => setAdding(false)} /> : null}
    </PageFrame>
  );
}
