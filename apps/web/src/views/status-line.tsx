import { formatCompact } from "../app/locale.ts";
import { useAppState, useController } from "./app-context.ts";
import { useOpenSession } from "./use-open-session.ts";

function dollars(amount: number): string {
  return amount < 0.01 ? "under $0.01" : `$${amount.toFixed(2)}`;
}

/** The model of the session and its usage. */
export function StatusLine(): React.JSX.Element {
  const controller = useController();
  const { summary } = useOpenSession();
  // The model of the next message, not of the last answer.
  const agentModel = useAppState((state) => state.agents.find(({ id }) => id === (summary?.agentId ?? state.agentId))?.model);
  const model = summary?.model ?? agentModel;
  const parts = [
    model,
    summary === undefined || summary.contextTokens === 0 ? undefined : `${formatCompact(summary.contextTokens)} tokens in context`,
    summary === undefined || summary.totalTokens === 0 ? undefined : `${formatCompact(summary.totalTokens)} used`,
    summary?.costUsd === undefined || summary.costUsd === 0 ? undefined : dollars(summary.costUsd),
  ].filter((part) => part !== undefined);
  return (
    <p className="status-line">
      {parts.length === 0 ? (
        <span className="hint">Enter sends · Shift + Enter begins a new line</span>
      ) : (
        <>
          {parts.map((part, index) => (
            // The parts have fixed positions.
            <span key={index}>{part}</span>
          ))}
          <button type="button" className="text-button" onClick={() => controller.showContext()}>
            What the model sees
          </button>
        </>
      )}
    </p>
  );
}
