import { Link } from "@tanstack/react-router";
import type { GatewayStatus } from "@factotum/protocol";
import { useState } from "react";
import { useRpc } from "../../data/use-rpc.ts";
import { useFirstRun } from "../../first-run/first-run.tsx";
import { hideSetup, isSetupHidden } from "../../first-run/hidden-setup.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./overview.module.css";
import { type SetupPart, setupParts } from "./setup-parts.ts";

/** What is left of the first run, with the way to each step; nothing when all is done, or when the person needs no more of it. */
export function SetupCard({ channels, schedule }: Pick<GatewayStatus, "channels" | "schedule">): React.JSX.Element | null {
  const { data } = useRpc("setup.state", {});
  const jobs = useRpc("cron.list", {}).data?.jobs ?? [];
  const [isHidden, setHidden] = useState(() => isSetupHidden(localStorage));
  if (data === undefined) return null;
  const parts = setupParts(data, channels, schedule.enabled ? jobs : []);
  const isUsable = parts.slice(0, 2).every(({ isDone }) => isDone);
  if (parts.every(({ isDone }) => isDone) || (isUsable && isHidden)) return null;
  return (
    <Card title={t("Finish the setup")}>
      <ul className={styles["setup"]}>
        {parts.map((part) => (
          <li key={part.step}>
            <span className={part.isDone ? styles["done"] : undefined}>
              {part.isDone ? <Icon name="check" /> : null}
              <span dir="auto">{part.text}</span>
            </span>
            {part.isDone ? null : <PartAction part={part} />}
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

/** The way to what is left: a step of the first run, or the page of what has failed. */
function PartAction({ part: { step, action, hasFailed } }: { readonly part: SetupPart }): React.JSX.Element {
  const { open } = useFirstRun();
  return hasFailed === true ? (
    <Link to="/channels" className="button">
      {action}
    </Link>
  ) : (
    <Button onClick={() => void open(step)}>{action}</Button>
  );
}
