import { Link } from "@tanstack/react-router";
import type { GatewayStatus } from "@factotum/protocol";
import { formatMoment } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import styles from "./overview.module.css";

/** The model of each agent, and whether it can be used. */
export function ModelsCard({ status: { agents, resting } }: { readonly status: GatewayStatus }): React.JSX.Element {
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
              <span>{t("{name}: {value}", { name, value: model })}</span>
              {problem === undefined ? <Badge tone="good">{t("Usable")}</Badge> : <Badge tone="bad">{t("Failed")}</Badge>}
              {problem === undefined ? null : <small className="problem">{gatewayText(problem)}</small>}
              {modelNote === undefined ? null : <small>{gatewayText(modelNote)}</small>}
            </li>
          );
        })}
        {resting.map(({ provider, model, credential, reason, untilMs }) => (
          <li key={`${provider}/${model ?? ""} ${credential}`}>
            <span>{model === undefined ? provider : `${provider}/${model}`}</span>
            <Badge tone="warning">{t("Rests")}</Badge>
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
