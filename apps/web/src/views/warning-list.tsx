import { isSameWarning } from "../app/same-warning.ts";
import { useAppState, useController } from "./app-context.ts";

/** What of the gateway its owner should know. The place is always there: only then is what comes into it read aloud. */
export function WarningList(): React.JSX.Element {
  const warnings = useAppState((state) => state.warnings);
  const hidden = useAppState((state) => state.hiddenWarnings);
  const controller = useController();
  const shown = warnings.filter((warning) => !hidden.some((one) => isSameWarning(one, warning)));
  return (
    <output className="warnings" aria-label="Gateway">
      {shown.map((warning) => (
        <span key={warning.id} className={warning.level === "error" ? "banner error" : "banner"}>
          <span>
            {warning.text} {warning.fix}
          </span>
          <button
            type="button"
            className="text-button"
            aria-label={`Hide: ${warning.text}`}
            onClick={() => controller.hideWarning(warning)}
          >
            Hide
          </button>
        </span>
      ))}
    </output>
  );
}
