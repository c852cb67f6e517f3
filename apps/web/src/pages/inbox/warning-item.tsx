import type { GatewayWarning } from "@factotum/protocol";
import { useController } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { WarningFix, WarningText } from "../../shell/warning-words.tsx";
import { Button } from "../../ui/button.tsx";
import { InboxItem } from "./inbox-item.tsx";

/** A condition of the gateway. Dismissed, it comes back when its text changes. */
export function WarningItem({ warning }: { readonly warning: GatewayWarning }): React.JSX.Element {
  const controller = useController();
  const isError = warning.level === "error";
  const sessionKey = warning.facts?.values["session"];
  return (
    <InboxItem
      title={<WarningText warning={warning} />}
      kind={isError ? t("Error") : t("Warning")}
      tone={isError ? "bad" : "warning"}
      facts={sessionKey === undefined ? undefined : <SessionLink sessionKey={sessionKey} />}
      actions={<Button onClick={() => controller.warnings.hide(warning)}>{t("Dismiss")}</Button>}
    >
      {warning.fix === undefined ? null : (
        <p>
          <WarningFix warning={warning} />
        </p>
      )}
    </InboxItem>
  );
}
