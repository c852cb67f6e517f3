import type { SpawnsItem } from "../../../chat/chat-items.ts";
import { ToolCall } from "../tool-call.tsx";
import { SubagentList } from "./subagent-list.tsx";
import { useSubagents } from "./use-subagents.ts";
import { t } from "../../../i18n/t.ts";

/** The sub-agents that a turn has started. One that is no longer kept is shown as the call that started it. */
export function SpawnedRows({ item: { calls } }: { readonly item: SpawnsItem }): React.JSX.Element {
  const all = useSubagents();
  const started = new Set(calls.map(({ runId }) => runId));
  const kept = all.filter(({ runId }) => started.has(runId));
  const keptIds = new Set(kept.map(({ runId }) => runId));
  return (
    <>
      {calls.map(({ runId, call }) => (keptIds.has(runId) ? null : <ToolCall key={runId} item={call} />))}
      {kept.length === 0 ? null : <SubagentList subagents={kept} all={all} label={t("Sub-agents")} />}
    </>
  );
}
