import { formatCompact, formatDollars } from "../../app/locale.ts";
import { useOpenSubagent } from "./subagents/use-subagents.ts";
import { useAppState, useController } from "../../app/app-context.ts";
import { ModelChoice } from "./model-choice.tsx";
import { useOpenSession } from "./use-open-session.ts";
import { t } from "../../i18n/t.ts";

/** The model of the session and its usage. */
export function StatusLine(): React.JSX.Element {
  const controller = useController();
  const { summary } = useOpenSession();
  const sessionKey = useAppState((state) => state.sessionKey);
  const isSubagent = useOpenSubagent() !== undefined;
  // The model of the next message, not of the last answer.
  const agentModel = useAppState((state) => state.agents.find(({ id }) => id === (summary?.agentId ?? state.agentId))?.model);
  const model = summary?.model ?? agentModel;
  const parts = [
    summary === undefined || summary.contextTokens === 0
      ? undefined
      : t("{tokens} tokens in context", { tokens: formatCompact(summary.contextTokens) }),
    summary === undefined || summary.totalTokens === 0
      ? undefined
      : t("{tokens} tokens used", { tokens: formatCompact(summary.totalTokens) }),
    summary?.costUsd === undefined || summary.costUsd === 0 ? undefined : formatDollars(summary.costUsd),
  ].filter((part) => part !== undefined);
  return (
    <p className="status-line">
      {parts.length === 0 && model === undefined && !isSubagent ? (
        <span className="hint">{t("Enter sends · Shift + Enter begins a new line")}</span>
      ) : (
        <>
          {/* That of a sub-agent is in the bar above its conversation. */}
          {isSubagent ? null : <ModelChoice sessionKey={sessionKey} model={model} />}
          {parts.map((part, index) => (
            // The parts have fixed positions.
            <span key={index}>{part}</span>
          ))}
          <button type="button" className="text-button" onClick={() => controller.showContext()}>
            {t("What the model sees")}
          </button>
        </>
      )}
    </p>
  );
}
