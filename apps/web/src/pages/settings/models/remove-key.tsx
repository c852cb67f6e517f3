import type { SetupProvider } from "@factotum/protocol";
import { useState } from "react";
import { useAction } from "../../../data/use-action.ts";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { useToasts } from "../../../ui/toasts.tsx";

interface RemoveKeyProps {
  readonly provider: SetupProvider;
  /** The model in use is one of the provider's. */
  readonly isInUse: boolean;
}

/** Removes a provider's key, after a question. */
export function RemoveKey({ provider: { id, label }, isInUse }: RemoveKeyProps): React.JSX.Element {
  const [asks, setAsks] = useState(false);
  const toasts = useToasts();
  const remove = useAction("setup.forgetKey");
  const confirm = async (): Promise<void> => {
    if ((await remove.run({ provider: id })) !== undefined)
      toasts.show({ text: t("The key of {provider} is removed.", { provider: label }) });
  };
  return (
    <>
      <Button variant="text" busy={remove.isBusy} onClick={() => setAsks(true)}>
        {t("Remove the key")} <span className="sr-only">{label}</span>
      </Button>
      {asks ? (
        <ConfirmDialog
          title={t("Remove the key of {provider}?", { provider: label })}
          text={
            isInUse
              ? t(
                  "The model in use is one of this provider’s, so the assistant cannot answer until you choose another one. The key itself cannot be brought back.",
                )
              : t("Its models cannot be used any longer. The key itself cannot be brought back.")
          }
          yes={t("Remove the key")}
          danger
          onConfirm={() => void confirm()}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </>
  );
}
