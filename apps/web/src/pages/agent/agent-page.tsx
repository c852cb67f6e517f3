import { useNavigate, useParams } from "@tanstack/react-router";
import type { Agent } from "../../app/app-state.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { AgentChoice } from "../../ui/agent-choice.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { type Tab, Tabs } from "../../ui/tabs.tsx";
import { type AgentTab, parseAgentTab } from "./agent-tabs.ts";
import { BindingsTab } from "./bindings-tab.tsx";
import { KnowledgeTab } from "./knowledge-tab.tsx";
import { PersonaTab } from "./persona-tab.tsx";
import { PluginsTab } from "./plugins-tab.tsx";
import { ServersTab } from "./servers-tab.tsx";
import { SkillsTab } from "./skills-tab.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import styles from "./agent.module.css";

/** Who an agent is, what it knows, and what it can do. The address names the agent and the part. */
export function AgentPage(): React.JSX.Element {
  const { agentId, tab } = useParams({ from: "/data/agent/{-$agentId}/{-$tab}" });
  const agents = useRpc("agents.list", {});
  return (
    <PageFrame title={t("Agent")}>
      <div className="page-scroll">
        <div className={`page-content ${styles["content"]}`}>
          <Loaded query={agents}>{({ agents: all }) => <AgentView agents={all} agentId={agentId} tab={parseAgentTab(tab)} />}</Loaded>
        </div>
      </div>
    </PageFrame>
  );
}

interface AgentViewProps {
  readonly agents: readonly Agent[];
  readonly agentId: string | undefined;
  readonly tab: AgentTab;
}

function AgentView({ agents, agentId, tab }: AgentViewProps): React.JSX.Element {
  const navigate = useNavigate();
  const agent = agents.find(({ id, isDefault }) => (agentId === undefined ? isDefault : id === agentId));
  const go = (id: string, to: AgentTab): void =>
    void navigate({ to: "/agent/{-$agentId}/{-$tab}", params: { agentId: id, tab: to }, replace: true });
  if (agent === undefined)
    return <EmptyState>{t("There is no such agent any longer. The page Agents lists those that there are.")}</EmptyState>;
  const tabs: readonly Tab<AgentTab>[] = [
    { id: "persona", label: t("Character") },
    { id: "knowledge", label: t("Knowledge") },
    { id: "skills", label: t("Skills") },
    { id: "tools", label: t("Tools") },
    { id: "servers", label: t("Servers") },
    { id: "plugins", label: t("Plugins") },
    { id: "bindings", label: t("Bindings") },
  ];
  return (
    <>
      {agents.length < 2 ? null : (
        <div className={styles["choice"]}>
          <AgentChoice agents={agents} agentId={agent.id} onChange={(id) => go(id, tab)} />
        </div>
      )}
      <Tabs label={t("Parts of the agent")} tabs={tabs} selected={tab} onSelect={(next) => go(agent.id, next)}>
        <Panel key={agent.id} agent={agent} tab={tab} />
      </Tabs>
    </>
  );
}

function Panel({ agent: { id }, tab }: { readonly agent: Agent; readonly tab: AgentTab }): React.JSX.Element {
  switch (tab) {
    case "persona":
      return <PersonaTab agentId={id} />;
    case "knowledge":
      return <KnowledgeTab agentId={id} />;
    case "skills":
      return <SkillsTab agentId={id} />;
    case "tools":
      return <ToolsTab agentId={id} />;
    case "servers":
      return <ServersTab agentId={id} />;
    case "plugins":
      return <PluginsTab />;
    case "bindings":
      return <BindingsTab agentId={id} />;
  }
}
