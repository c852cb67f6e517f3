import { useEffect, useRef, useState } from "react";
import { isOpenSubagent, stateWord, subagentName } from "./describe-subagent.ts";
import { useSubagents } from "./use-subagents.ts";
import { t } from "../../../i18n/t.ts";

/** Announces to screen readers that sub-agents have started and ended. */
export function SubagentAnnouncer({ sessionKey }: { readonly sessionKey: string }): React.JSX.Element {
  const all = useSubagents();
  const [words, setWords] = useState("");
  const heard = useRef({ sessionKey, all });
  useEffect(() => {
    const earlier = heard.current;
    heard.current = { sessionKey, all };
    if (earlier.sessionKey !== sessionKey) return;
    const before = new Map(earlier.all.map((one) => [one.runId, one]));
    const started = all.filter(({ runId }) => !before.has(runId)).map((one) => t("Sub-agent started: {name}", { name: subagentName(one) }));
    const ended = all.filter((one) => {
      const was = before.get(one.runId);
      return was !== undefined && isOpenSubagent(was) && !isOpenSubagent(one);
    });
    const told = [
      ...started,
      ...ended.map((one) => t("Sub-agent {state}: {name}", { state: stateWord(one.state).toLowerCase(), name: subagentName(one) })),
    ];
    if (told.length > 0) setWords(told.join("\n"));
  }, [sessionKey, all]);
  return (
    <output className="sr-only" aria-live="polite">
      {words}
    </output>
  );
}
