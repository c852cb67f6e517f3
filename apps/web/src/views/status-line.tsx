import { useAppState, useController } from "./app-context.ts";
import { useOpenSession } from "./use-open-session.ts";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function dollars(amount: number): string {
  return amount < 0.01 ? "under $0.01" : `$${amount.toFixed(2)}`;
}

/** The model of the session and what it has used. */
export function StatusLine(): React.JSX.Element {
  const controller = useController();
  const { summary } = useOpenSession();
  const lastModel = useAppState((state) =>
    state.open.type === "open" ? state.open.chat.entries.findLast((entry) => entry.type === "assistant")?.model : undefined,
  );
  const model = summary?.model ?? lastModel;
  const parts = [
    model,
    summary === undefined || summary.contextTokens === 0 ? undefined : `${compact.format(summary.contextTokens)} tokens in context`,
    summary === undefined || summary.totalTokens === 0 ? undefined : `${compact.format(summary.totalTokens)} used`,
    summary?.costUsd === undefined || summary.costUsd === 0 ? undefined : dollars(summary.costUsd),
  ].filter((part) => part !== undefined);
  return (
    <p className="status-line">
      {parts.length === 0 ? (
        <span className="hint">Enter sends · Shift + Enter begins a new line</span>
      ) : (
        <>
          {parts.map((part, index) => (
            // The parts have fixed places.
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
