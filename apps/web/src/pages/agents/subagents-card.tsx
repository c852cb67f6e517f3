import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { isOpenSubagent } from "../chat/subagents/describe-subagent.ts";
import { SubagentList } from "../chat/subagents/subagent-list.tsx";

/** What an open sub-agent does is no event for those who do not watch its conversation; its beginning and its end are. */
const ACTIVITY_MS = 2_000;

/** The sub-agents of all conversations as a tree, with the way to steer and end those that are open. */
export function SubagentsCard(): React.JSX.Element {
  const found = useRpc("subagents.list", {}, { everyMs: ({ subagents }) => (subagents.some(isOpenSubagent) ? ACTIVITY_MS : undefined) });
  return (
    <Card title={t("Sub-agents")}>
      <Loaded query={found}>
        {({ subagents }) => {
          const keys = new Set(subagents.map(({ sessionKey }) => sessionKey));
          const roots = subagents.filter(({ parentKey }) => !keys.has(parentKey));
          const working = subagents.filter(isOpenSubagent).length;
          return subagents.length === 0 ? (
            <EmptyState>
              {t("None. The agent starts sub-agents for tasks that take long, or several at the same time, if you ask for it.")}
            </EmptyState>
          ) : (
            <>
              <output>
                {t("{count, plural, =0 {None of them works now.} one {# of them is open.} other {# of them are open.}}", {
                  count: working,
                })}
              </output>
              <SubagentList subagents={roots} all={subagents} label={t("Sub-agents")} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
