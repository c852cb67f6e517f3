import { useAppState } from "../app/app-context.ts";
import { t } from "../i18n/t.ts";
import { Badge, type Tone } from "../ui/badge.tsx";

/** A state that the gateway knows. Without a connection it is not known: what was true before is not said of now. */
export function LiveBadge({ tone, children }: { readonly tone: Tone; readonly children: React.ReactNode }): React.JSX.Element {
  const isKnown = useAppState(({ connection }) => connection.type === "connected");
  return isKnown ? <Badge tone={tone}>{children}</Badge> : <Badge>{t("Unknown")}</Badge>;
}
