import { useState } from "react";
import { useController } from "../app/app-context.ts";
import { t } from "../i18n/t.ts";

interface PairingActionsProps {
  readonly code: string;
  /** Who asks, for the names of the buttons. */
  readonly text: string;
}

/** Approves or rejects a person who asks to be admitted. A decision removes the warning, and the buttons with it. */
export function PairingActions({ code, text }: PairingActionsProps): React.JSX.Element {
  const controller = useController();
  const [isBusy, setBusy] = useState(false);
  const decide = async (decision: "approve" | "reject"): Promise<void> => {
    setBusy(true);
    await controller.warnings.decidePairing(code, decision);
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        className="text-button"
        aria-label={t("Approve: {warning}", { warning: text })}
        disabled={isBusy}
        onClick={() => void decide("approve")}
      >
        {t("Approve")}
      </button>
      <button
        type="button"
        className="text-button"
        aria-label={t("Reject: {warning}", { warning: text })}
        disabled={isBusy}
        onClick={() => void decide("reject")}
      >
        {t("Reject")}
      </button>
    </>
  );
}
