import { Link } from "@tanstack/react-router";
import { t } from "../i18n/t.ts";

/** The way to the conversation that something belongs to; nothing if it is unknown. */
export function SessionLink({ sessionKey }: { readonly sessionKey: string | undefined }): React.JSX.Element | null {
  if (sessionKey === undefined || sessionKey === "") return null;
  return (
    <Link to="/chat/{-$sessionKey}" params={{ sessionKey }}>
      {t("Open the conversation")}
    </Link>
  );
}
