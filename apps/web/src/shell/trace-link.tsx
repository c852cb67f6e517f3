import { Link } from "@tanstack/react-router";
import { t } from "../i18n/t.ts";

/** The way to the trace of a message, by the turn that it began; nothing without one. */
export function TraceLink({ turnId }: { readonly turnId: string | undefined }): React.JSX.Element | null {
  if (turnId === undefined) return null;
  return (
    <Link to="/trace/$id" params={{ id: turnId }}>
      {t("What happened to this message")}
    </Link>
  );
}
