import { HEARTBEAT_OFFER, offeredHeartbeats, type SetupState } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useSession } from "../app/app-context.ts";
import { focusOnce } from "../ui/focus-once.ts";
import { useStep } from "./use-step.ts";
import { t } from "../i18n/t.ts";

interface HeartbeatStepProps {
  readonly agent: SetupState["agent"];
  readonly onDone: () => void;
}

/** Offers that the assistant wakes itself up. What is configured is chosen, and off without it. */
export function HeartbeatStep({ agent, onDone }: HeartbeatStepProps): React.JSX.Element {
  const { setup } = useSession();
  const { isBusy, problem, run } = useStep();
  const [chosen, setChosen] = useState(agent.heartbeat);
  const choices = offeredHeartbeats(agent);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    run(async () => {
      if (chosen !== agent.heartbeat && chosen !== "other") await setup.setHeartbeat(chosen);
      onDone();
      return undefined;
    });
  };
  return (
    <form className="setup-step" onSubmit={submit}>
      <p>{t(HEARTBEAT_OFFER)}</p>
      <label className="field">
        <span>{t("Wakes itself up (heartbeat)")}</span>
        <select
          value={chosen}
          ref={focusOnce}
          onChange={({ target }) => setChosen(choices.find(({ value }) => value === target.value)?.value ?? chosen)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
        </select>
      </label>
      {problem === undefined ? null : (
        <p className="setup-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions">
        <button type="submit" className="button primary" disabled={isBusy}>
          {t("Go on")}
        </button>
      </div>
    </form>
  );
}
