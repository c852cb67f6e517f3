import { useState } from "react";
import { useController } from "../../../app/app-context.ts";
import { t } from "../../../i18n/t.ts";

/** Stops a sub-agent with all below it. `onProblem` gets the reason if it could not be stopped. */
export function StopButton({
  sessionKey,
  what,
  onProblem,
}: {
  readonly sessionKey: string;
  /** For screen readers, in addition to the word. */
  readonly what: string;
  readonly onProblem: (problem: string | undefined) => void;
}): React.JSX.Element {
  const { subagents } = useController();
  const [isStopping, setStopping] = useState(false);
  const stop = async (): Promise<void> => {
    setStopping(true);
    onProblem(await subagents.stop(sessionKey));
    setStopping(false);
  };
  return (
    <button type="button" className="text-button danger" disabled={isStopping} onClick={() => void stop()}>
      {isStopping ? t("Stopping…") : t("Stop")}
      <span className="sr-only"> {what}</span>
    </button>
  );
}
