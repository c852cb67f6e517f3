import type { WebhookDelivery } from "@factotum/protocol";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { msg, t } from "../../i18n/t.ts";
import { plainText } from "../../markdown/plain-text.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { TraceLink } from "../../shell/trace-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Moment } from "../../ui/moment.tsx";
import { reasonText } from "./automation-texts.ts";
import styles from "./automations.module.css";

/** Deliveries that are listed, newest first. */
const DELIVERIES = 20;

const STATES: Readonly<Record<WebhookDelivery["state"], { readonly text: string; readonly tone?: "good" | "bad" }>> = {
  waiting: { text: msg("Waiting") },
  running: { text: msg("Running"), tone: "good" },
  answered: { text: msg("Answered"), tone: "good" },
  shown: { text: msg("Read by the assistant"), tone: "good" },
  silent: { text: msg("Nothing to say") },
  failed: { text: msg("Failed"), tone: "bad" },
};

/** What each address has received of late, and what became of it. */
export function DeliveriesCard(): React.JSX.Element {
  const found = useRpc("webhooks.deliveries", { limit: DELIVERIES });
  return (
    <Card title={t("Last deliveries")}>
      <Loaded query={found}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <EmptyState>{t("None of late. A request that was refused is in the log alone.")}</EmptyState>
          ) : (
            <ul className={styles["rows"]} aria-label={t("Last deliveries")}>
              {deliveries.map((delivery) => (
                <li key={`${delivery.receivedAtMs} ${delivery.webhook} ${delivery.turnId ?? ""}`}>
                  <Delivery delivery={delivery} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Delivery({
  delivery: { webhook, receivedAtMs, state, reason, sent, answer, sessionKey, turnId },
}: {
  readonly delivery: WebhookDelivery;
}): React.JSX.Element {
  const { text, tone } = STATES[state];
  return (
    <>
      <span className={styles["outcome"]}>
        <strong>
          <bdi>{webhook}</bdi>
        </strong>
        <Moment atMs={receivedAtMs} />
        <Badge {...(tone !== undefined && { tone })}>{t(text)}</Badge>
        {reason === undefined ? null : <bdi>{reasonText(reason)}</bdi>}
      </span>
      <Excerpt label={t("Sent:")} text={sent} />
      <Excerpt label={t("Answer:")} text={answer === undefined ? undefined : plainText(answer)} />
      <span className={styles["outcome"]}>
        <SessionLink sessionKey={sessionKey} />
        <TraceLink turnId={turnId} />
      </span>
    </>
  );
}

/** The beginning of a text of others, or of the answer to it. */
function Excerpt({ label, text }: { readonly label: string; readonly text: string | undefined }): React.JSX.Element | null {
  if (text === undefined) return null;
  return (
    <span className={styles["excerpt"]}>
      {label} <bdi>{text}</bdi>
    </span>
  );
}
