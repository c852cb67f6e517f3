import type { ChatSubagent, ChatSubagentState } from "@factotum/protocol";
import { useId, useRef, useState } from "react";
import { useAppState, useController } from "../../../app/app-context.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { describeActivity, isOpenSubagent, subagentName } from "./describe-subagent.ts";
import { SteerForm } from "./steer-form.tsx";
import { StopButton } from "./stop-button.tsx";
import { SubagentFacts } from "./subagent-facts.tsx";
import { useSteering } from "./use-steering.ts";
import { t } from "../../../i18n/t.ts";

const ICONS: Readonly<Record<ChatSubagentState, IconName>> = {
  queued: "clock",
  running: "clock",
  idle: "clock",
  done: "check",
  failed: "cross",
  timeout: "cross",
  killed: "stop",
  lost: "cross",
};

/** One sub-agent: what it is for, what it does, and what it costs. Its name opens it; while it is open, it can be steered and stopped. */
export function SubagentRow({ subagent, hasBelow }: { readonly subagent: ChatSubagent; readonly hasBelow: boolean }): React.JSX.Element {
  const controller = useController();
  const mayChange = useAppState((state) => state.mayNotChangeSubagents !== true);
  const [isSteering, setSteering] = useState(false);
  const [problem, setProblem] = useState<string>();
  const steering = useSteering(subagent);
  const steerButton = useRef<HTMLButtonElement>(null);
  const factsId = useId();
  const { sessionKey, state } = subagent;
  const name = subagentName(subagent);
  const activity = describeActivity(subagent);
  const isOpen = isOpenSubagent(subagent);
  return (
    <div className={`subagent ${state}`}>
      <Icon name={ICONS[state]} />
      <button
        type="button"
        className="subagent-name"
        aria-describedby={factsId}
        dir="auto"
        onClick={() => controller.openSession(sessionKey)}
      >
        {name}
      </button>
      <SubagentFacts subagent={subagent} id={factsId} />
      {activity === undefined ? null : (
        <p className="subagent-activity" dir="auto">
          {activity}
        </p>
      )}
      {isOpen && mayChange ? (
        <div className="subagent-actions">
          <button
            type="button"
            className="text-button"
            ref={steerButton}
            aria-expanded={isSteering}
            onClick={() => setSteering(!isSteering)}
          >
            {t("Steer")}
            <span className="sr-only"> {name}</span>
          </button>
          <StopButton sessionKey={sessionKey} what={hasBelow ? t("{name} and its sub-agents", { name }) : name} onProblem={setProblem} />
        </div>
      ) : null}
      {isSteering && isOpen && mayChange ? (
        <SteerForm
          name={name}
          steering={steering}
          onClose={() => {
            setSteering(false);
            steerButton.current?.focus();
          }}
        />
      ) : null}
      <Outcome problem={problem} steering={steering.outcome} />
    </div>
  );
}

/** What became of the newest action. */
function Outcome({
  problem,
  steering,
}: {
  readonly problem: string | undefined;
  readonly steering: ReturnType<typeof useSteering>["outcome"];
}): React.JSX.Element | null {
  const failure = problem ?? (steering?.type === "failed" ? steering.text : undefined);
  if (failure !== undefined)
    return (
      <p className="subagent-outcome failed" role="alert">
        {failure}
      </p>
    );
  return steering === undefined ? null : <output className="subagent-outcome">{steering.text}</output>;
}
