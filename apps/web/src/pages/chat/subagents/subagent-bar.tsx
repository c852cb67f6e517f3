import { useEffect, useRef, useState } from "react";
import { mainKeyOf } from "../../../app/app-state.ts";
import { sessionTitle } from "../../../app/session-title.ts";
import { useAppState, useController } from "../../../app/app-context.ts";
import { Icon } from "../../../ui/icon.tsx";
import { isOpenSubagent, subagentName } from "./describe-subagent.ts";
import { StopButton } from "./stop-button.tsx";
import { SubagentFacts } from "./subagent-facts.tsx";
import { useOpenSubagent, useSubagents } from "./use-subagents.ts";
import { t } from "../../../i18n/t.ts";

/** Above the conversation of a sub-agent: the way back to each session above it, and its state. */
export function SubagentBar(): React.JSX.Element | null {
  const own = useOpenSubagent();
  const mayChange = useAppState((state) => state.mayNotChangeSubagents !== true);
  const [problem, setProblem] = useState<string>();
  if (own === undefined || own === "loading") return null;
  return (
    <div className="subagent-bar">
      <Path />
      {own === "gone" ? null : <SubagentFacts subagent={own} />}
      {own !== "gone" && isOpenSubagent(own) && mayChange ? (
        <StopButton sessionKey={own.sessionKey} what={t("this sub-agent and those below it")} onProblem={setProblem} />
      ) : null}
      {problem === undefined ? null : (
        <p className="subagent-outcome failed" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The sessions above, outermost first. The nearest one gets the focus if the row that was followed had it. */
function Path(): React.JSX.Element {
  const controller = useController();
  const all = useSubagents();
  const sessions = useAppState((state) => state.sessions);
  const mainKey = useAppState(mainKeyOf);
  const sessionKey = useAppState((state) => state.sessionKey);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) back.current?.focus({ preventScroll: true });
  }, [sessionKey]);
  const path: { readonly key: string; readonly title: string }[] = [];
  let own = all.find((one) => one.sessionKey === sessionKey);
  while (own !== undefined) {
    const { parentKey } = own;
    const parent = all.find((one) => one.sessionKey === parentKey);
    const summary = sessions.find(({ key }) => key === parentKey);
    path.unshift({ key: parentKey, title: parent === undefined ? sessionTitle(parentKey, summary, mainKey) : subagentName(parent) });
    own = parent;
  }
  const [only] = path;
  if (only === undefined)
    return (
      <button type="button" className="text-button" ref={back} onClick={() => controller.openMain()}>
        <Icon name="back" /> {t("Main")}
      </button>
    );
  return (
    <nav aria-label={t("Sessions above")}>
      <ol className="subagent-path">
        {path.map(({ key, title }, index) => (
          <li key={key}>
            <button
              type="button"
              className="text-button"
              ref={index === path.length - 1 ? back : undefined}
              onClick={() => controller.openSession(key)}
            >
              {index === 0 ? <Icon name="back" /> : null}
              <span className="sr-only">{t("Back to")} </span>
              <span dir="auto">{title}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
