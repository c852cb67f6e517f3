import type { ChatEntry, GatewayWarning } from "@factotum/protocol";
import { useLocation } from "@tanstack/react-router";
import { PAIRING_WARNING } from "../app/pairing-warning.ts";
import { isSameWarning } from "../app/same-warning.ts";
import { useAppState, useController } from "../app/app-context.ts";
import { PairingActions } from "./pairing-actions.tsx";
import { WarningFix, WarningText } from "./warning-words.tsx";
import { gatewayText } from "../i18n/gateway-text.ts";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { t } from "../i18n/t.ts";

/** Warnings about the gateway for its owner. The container always exists, because screen readers only announce changes in an existing one. */
export function WarningList(): React.JSX.Element {
  const warnings = useAppState((state) => state.warnings);
  const hidden = useAppState((state) => state.hiddenWarnings);
  const entries = useAppState((state) => (state.open.type === "open" ? state.open.chat.entries : undefined));
  const controller = useController();
  // The inbox lists them itself, and the channels those who ask.
  const isInbox = useLocation({ select: ({ pathname }) => pathname === "/inbox" });
  const isChannels = useLocation({ select: ({ pathname }) => pathname.startsWith("/channels/") });
  const isHidden = (warning: GatewayWarning): boolean => hidden.some((one) => isSameWarning(one, warning));
  const shown = warnings.filter(
    (warning) =>
      !isInbox && !(isChannels && warning.id.startsWith(PAIRING_WARNING)) && !isHidden(warning) && !isShownIn(entries ?? [], warning),
  );
  return (
    <output className="warnings" aria-label={t("Gateway")}>
      {shown.map((warning) => (
        <span key={warning.id} className={warning.level === "error" ? "banner error" : "banner"}>
          {warning.id.startsWith(PAIRING_WARNING) ? (
            <>
              <span>
                <WarningText warning={warning} />
                {sentenceSpace()}
                {t("Approve only a person you know.")}
              </span>
              <PairingActions code={warning.id.slice(PAIRING_WARNING.length)} text={warning.text} />
            </>
          ) : (
            <span>
              <WarningText warning={warning} />
              {sentenceSpace()}
              <WarningFix warning={warning} />
            </span>
          )}
          <button
            type="button"
            className="text-button"
            aria-label={t("Hide: {warning}", { warning: gatewayText(warning.text) })}
            onClick={() => controller.warnings.hide(warning)}
          >
            {t("Hide")}
          </button>
        </span>
      ))}
    </output>
  );
}

/** True for a failed run whose reason is shown in the conversation already. */
function isShownIn(entries: readonly ChatEntry[], { id, text }: GatewayWarning): boolean {
  return id.startsWith("run:") && entries.some((entry) => entry.type === "notice" && entry.level === "error" && text.endsWith(entry.text));
}
