import type { ChatSubagent } from "@factotum/protocol";
import { useAppState } from "../../../app/app-context.ts";
import { describeSubagent, isOpenSubagent, stateWord } from "./describe-subagent.ts";
import { SubagentAge } from "./subagent-age.tsx";

/** The state of a sub-agent, its age, and what it uses. */
export function SubagentFacts({ subagent, id }: { readonly subagent: ChatSubagent; readonly id?: string }): React.JSX.Element {
  const agentModel = useAppState((state) => state.agents.find(({ id }) => id === subagent.agentId)?.model);
  // Without a chosen model it uses that of its agent.
  const model = subagent.model ?? (isOpenSubagent(subagent) ? agentModel : undefined);
  return (
    <div className={`subagent-facts ${subagent.state}`} id={id}>
      <span className="subagent-state">{stateWord(subagent.state)}</span>
      <SubagentAge subagent={subagent} />
      {describeSubagent(subagent, model).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </div>
  );
}
