import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAppState } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { AgentChoice } from "../../ui/agent-choice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ForgetPanel } from "./forget-panel.tsx";
import { IndexPanel } from "./index-panel.tsx";
import { NoteView } from "./note-view.tsx";
import { NotesPanel } from "./notes-panel.tsx";

/** What an agent remembers: its notes, what is found in them, and forgetting. */
export function MemoryPage(): React.JSX.Element {
  const { tab = "notes", agent, note } = useSearch({ from: "/data/memory" });
  const navigate = useNavigate();
  const agents = useAppState((state) => state.agents);
  const of = agent === undefined ? {} : { agent };
  return (
    <PageFrame title={note ?? t("Memory")}>
      <div className="page-scroll">
        <div className="page-content">
          {note === undefined ? (
            <>
              {agents.length < 2 ? null : (
                <AgentChoice
                  agents={agents}
                  agentId={agent ?? agents.find(({ isDefault }) => isDefault)?.id}
                  onChange={(next) => void navigate({ to: "/memory", search: { tab, agent: next }, replace: true })}
                />
              )}
              <Tabs
                label={t("Memory")}
                tabs={[
                  { id: "notes", label: t("Notes") },
                  { id: "forget", label: t("Forget") },
                  { id: "index", label: t("Index") },
                ]}
                selected={tab}
                onSelect={(next) => void navigate({ to: "/memory", search: { ...of, tab: next }, replace: true })}
              >
                {tab === "notes" ? <NotesPanel agent={agent} /> : tab === "forget" ? <ForgetPanel /> : <IndexPanel agent={agent} />}
              </Tabs>
            </>
          ) : (
            <NoteView key={`${agent ?? ""} ${note}`} agent={agent} path={note} />
          )}
        </div>
      </div>
    </PageFrame>
  );
}
