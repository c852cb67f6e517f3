import type { ChatSubagent } from "@factotum/protocol";
import { describeSubagent, STATE_WORDS } from "./describe-subagent.ts";
import { SubagentAge } from "./subagent-age.tsx";

/** The state of a sub-agent, its age, and what it uses. */
export function SubagentFacts({ subagent, id }: { readonly subagent: ChatSubagent; readonly id?: string }): React.JSX.Element {
  return (
    <div className={`subagent-facts ${subagent.state}`} id={id}>
      <span className="subagent-state">{STATE_WORDS[subagent.state]}</span>
      <SubagentAge subagent={subagent} />
      {describeSubagent(subagent).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </div>
  );
}
