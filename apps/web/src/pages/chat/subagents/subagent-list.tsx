import type { ChatSubagent } from "@factotum/protocol";
import { useState } from "react";
import { isOpenSubagent, subagentName } from "./describe-subagent.ts";
import { SubagentRow } from "./subagent-row.tsx";
import { t } from "../../../i18n/t.ts";

/** Ended sub-agents of a list that are shown at once. */
const SHOWN_ENDED = 5;

/** Sub-agents with those below them. Older ones that have ended are folded. `all` holds those below. */
export function SubagentList({
  subagents,
  all,
  label,
}: {
  readonly subagents: readonly ChatSubagent[];
  readonly all: readonly ChatSubagent[];
  readonly label: string;
}): React.JSX.Element {
  const [isUnfolded, setUnfolded] = useState(false);
  const ended = subagents.filter((one) => !isOpenSubagent(one));
  // A button that hides a single row would take its place.
  const folded = ended.length > SHOWN_ENDED + 1 ? ended.slice(0, -SHOWN_ENDED) : [];
  const hidden = new Set(isUnfolded ? [] : folded);
  return (
    <ul className="subagents" aria-label={label}>
      {folded.length === 0 ? null : (
        <li>
          <button type="button" className="text-button" aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
            {isUnfolded
              ? t("Hide {count} earlier ones that have ended", { count: folded.length })
              : t("Show {count} earlier ones that have ended", { count: folded.length })}
          </button>
        </li>
      )}
      {subagents
        .filter((one) => !hidden.has(one))
        .map((subagent) => {
          const below = all.filter(({ parentKey }) => parentKey === subagent.sessionKey);
          return (
            <li key={subagent.runId}>
              <SubagentRow subagent={subagent} hasBelow={below.length > 0} />
              {below.length === 0 ? null : (
                <SubagentList subagents={below} all={all} label={t("Sub-agents of {name}", { name: subagentName(subagent) })} />
              )}
            </li>
          );
        })}
    </ul>
  );
}
