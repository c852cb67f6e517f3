import type { SetupState } from "@factotum/protocol";
import { useState } from "react";
import { useRpc } from "../../data/use-rpc.ts";
import { useFirstRun } from "../../first-run/first-run.tsx";
import type { FirstStep } from "../../first-run/first-step.ts";
import { hideSetup, isSetupHidden } from "../../first-run/hidden-setup.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./overview.module.css";

interface Part {
  readonly step: FirstStep;
  readonly isDone: boolean;
  readonly text: string;
  readonly action: string;
}

/** What is left of the first run, with the way to each step; nothing when all is done, or when the person needs no more of it. */
export function SetupCard(): React.JSX.Element | null {
  const { data } = useRpc("setup.state", {});
  const { open } = useFirstRun();
  const [isHidden, setHidden] = useState(() => isSetupHidden(localStorage));
  if (data === undefined) return null;
  const parts = partsOf(data);
  const isUsable = parts.slice(0, 2).every(({ isDone }) => isDone);
  if (parts.every(({ isDone }) => isDone) || (isUsable && isHidden)) return null;
  return (
    <Card title={t("Finish the setup")}>
      <ul className={styles["setup"]}>
        {parts.map(({ step, isDone, text, action }) => (
          <li key={step}>
            <span className={isDone ? styles["done"] : undefined}>
              {isDone ? <Icon name="check" /> : null}
              <span dir="auto">{text}</span>
            </span>
            {isDone ? null : <Button onClick={() => void open(step)}>{action}</Button>}
          </li>
        ))}
      </ul>
      {isUsable ? (
        <div>
          <Button
            variant="text"
            onClick={() => {
              hideSetup(localStorage);
              setHidden(true);
            }}
          >
            {t("I need no more")}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function partsOf({ model, agent, channels }: SetupState): readonly Part[] {
  return [
    {
      step: "provider",
      isDone: model.source !== "demo",
      text:
        model.source === "demo"
          ? t("The demo answers until you choose a provider of models and give it a key.")
          : t("The model is {model}.", { model: model.reference }),
      action: t("Choose a model"),
    },
    {
      step: "name",
      isDone: agent.name !== undefined,
      text: agent.name === undefined ? t("The assistant has no name yet.") : t("Its name is {name}.", { name: agent.name }),
      action: t("Name it"),
    },
    {
      step: "channel",
      isDone: channels.length > 0,
      text: channels.length > 0 ? t("You can write to it from your phone.") : t("It can be reached from this page alone."),
      action: t("Add a channel"),
    },
    {
      step: "heartbeat",
      isDone: agent.heartbeat !== "off",
      text: agent.heartbeat === "off" ? t("It acts only when you write.") : t("It wakes itself up."),
      action: t("Let it wake up"),
    },
  ];
}
