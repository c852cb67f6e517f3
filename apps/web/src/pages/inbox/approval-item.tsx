import type { Approval } from "@factotum/protocol";
import { formatMoment } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { DECISION_LABELS } from "./decision-labels.ts";
import { InboxItem } from "./inbox-item.tsx";
import styles from "./inbox.module.css";
import { useDecision } from "./use-decision.ts";

/** A tool call that waits for a decision. */
export function ApprovalItem({ approval }: { readonly approval: Approval }): React.JSX.Element {
  const { id, agentId, sessionKey, toolName, text, reason, requestedAtMs, expiresAtMs, isParked, decisions, askedIn } = approval;
  const { decide, isBusy } = useDecision("approvals.decide");
  return (
    <InboxItem
      title={t("{tool} waits for your decision", { tool: toolName })}
      kind={t("Approval")}
      tone="warning"
      facts={
        <>
          <span>{agentId}</span>
          <span>{t("since {time}", { time: formatMoment(requestedAtMs) })}</span>
          <span>{t("until {time}", { time: formatMoment(expiresAtMs) })}</span>
          <SessionLink sessionKey={sessionKey} />
        </>
      }
      actions={decisions.map((decision) => (
        <Button
          key={decision}
          variant={decision === "allow-once" ? "primary" : "plain"}
          busy={isBusy}
          onClick={() => void decide({ id, decision })}
        >
          {t(DECISION_LABELS[decision])}
        </Button>
      ))}
    >
      <ScrollBox className={`quoted ${styles["code"]}`} label={t("What {tool} is to do", { tool: toolName })}>
        {text}
      </ScrollBox>
      <p dir="auto">{gatewayText(reason)}</p>
      {askedIn === undefined ? null : <p dir="auto">{gatewayText(askedIn)}</p>}
      {isParked ? <p>{t("The assistant went on without it. If you allow it, it runs on its own.")}</p> : null}
    </InboxItem>
  );
}
