import type { Approval, ApprovalDecision } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment } from "../../app/locale.ts";
import { useSession } from "../../app/app-context.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { DECISION_LABELS } from "../inbox/decision-labels.ts";

/** Below the notice of a call that waits: what it is to do, and the decisions on it. */
export function InlineApproval({ approval }: { readonly approval: Approval }): React.JSX.Element {
  const { client, inbox, store } = useSession();
  const [isBusy, setBusy] = useState(false);
  const decide = async (decision: ApprovalDecision): Promise<void> => {
    setBusy(true);
    try {
      await client.request("approvals.decide", { id: approval.id, decision });
      inbox.refresh();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      store.update({ alert: error.message });
    }
    setBusy(false);
  };
  return (
    <fieldset className="message-actions" aria-label={t("{tool} waits for your decision", { tool: approval.toolName })}>
      <small>{t("It waits for your decision until {time}.", { time: formatMoment(approval.expiresAtMs) })}</small>
      {approval.decisions.map((decision) => (
        <Button
          key={decision}
          variant={decision === "allow-once" ? "primary" : "plain"}
          busy={isBusy}
          onClick={() => void decide(decision)}
        >
          {t(DECISION_LABELS[decision])}
        </Button>
      ))}
    </fieldset>
  );
}
