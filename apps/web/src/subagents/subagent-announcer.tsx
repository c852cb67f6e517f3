import { useEffect, useRef, useState } from "react";
import { isOpenSubagent, STATE_WORDS, subagentName } from "./describe-subagent.ts";
import { useSubagents } from "./use-subagents.ts";

/** Announces to screen readers that sub-agents have started and ended. */
export function SubagentAnnouncer(): React.JSX.Element {
  const all = useSubagents();
  const [words, setWords] = useState("");
  const heard = useRef(all);
  useEffect(() => {
    const before = new Map(heard.current.map((one) => [one.runId, one]));
    heard.current = all;
    // Those of another session are all new.
    if (before.size === 0 || !all.some(({ runId }) => before.has(runId))) return;
    const started = all.filter(({ runId }) => !before.has(runId)).map((one) => `Sub-agent ${subagentName(one)} has started.`);
    const ended = all.filter((one) => {
      const earlier = before.get(one.runId);
      return earlier !== undefined && isOpenSubagent(earlier) && !isOpenSubagent(one);
    });
    const told = [...started, ...ended.map((one) => `Sub-agent ${subagentName(one)}: ${STATE_WORDS[one.state]}.`)];
    if (told.length > 0) setWords(told.join(" "));
  }, [all]);
  return (
    <output className="sr-only" aria-live="polite">
      {words}
    </output>
  );
}
