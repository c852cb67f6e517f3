import { Link } from "@tanstack/react-router";
import type { GatewayStatus } from "@factotum/protocol";
import { formatMoment } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { useAppState } from "../../app/app-context.ts";
import { LiveBadge } from "../../data/live-badge.tsx";
import { Card } from "../../ui/card.tsx";
import styles from "./overview.module.css";

/** The model of each agent, and whether it can be used. */
export function ModelsCard({ status: { agents, resting } }: { readonly status: GatewayStatus }): React.JSX.Element {
  const named = useAppState((state) => state.agents);
  // One without a name in the configuration may have one in its workspace.
  const nameOf = (id: string, name: string): string => (name === id ? (named.find((agent) => agent.id === id)?.name ?? id) : name);
  return (
    <Card
      title={t("Models")}
      actions={
        <Link to="/settings/{-$section}" params={{ section: undefined }}>
          {t("Details")}
        </Link>
      }
    >
      <ul className={styles["rows"]}>
        {agents.map(({ id, name, model, modelProblem, modelNote, lastFailure }) => {
          const problem = modelProblem ?? lastFailure?.text;
          return (
            <li key={id}>
              <span>{t("{name}: {value}", { name: nameOf(id, name), value: model })}</span>
              {problem === undefined ? <LiveBadge tone="good">{t("Usable")}</LiveBadge> : <LiveBadge tone="bad">{t("Failed")}</LiveBadge>}
              {problem === undefined ? null : <small className="problem">{gatewayText(problem)}</small>}
              {modelNote === undefined ? null : <small>{gatewayText(modelNote)}</small>}
            </li>
          );
        })}
        {resting.map(({ provider, model, credential, reason, untilMs }) => (
          <li key={`${provider}/${model ?? ""} ${credential}`}>
            <span>{model === undefined ? provider : `${provider}/${model}`}</span>
            <LiveBadge tone="warning">{t("Rests")}</LiveBadge>
            <small>
              {t("{credential} is not asked until {time}: {reason}", {
                credential,
                time: formatMoment(untilMs),
                reason: gatewayText(reason),
              })}
            </small>
          </li>
        ))}
      </ul>
    </Card>
  );
}
