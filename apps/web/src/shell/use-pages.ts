import { t } from "../i18n/t.ts";
import { useAppState } from "../app/app-context.ts";
import { waitingCount } from "../app/waiting-count.ts";
import type { IconName } from "../ui/icon.tsx";

/** Routes that need no parameter. */
type PlainRoute =
  | "/inbox"
  | "/overview"
  | "/automations"
  | "/memory"
  | "/agents"
  | "/channels"
  | "/agent/{-$agentId}/{-$tab}"
  | "/usage"
  | "/settings/{-$section}"
  | "/logs";

/** A page as the rail and the palette show it. */
export interface PageLink {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** Number of items on it that wait for a decision. */
  readonly waiting?: number;
  readonly link:
    | { readonly to: "/chat/{-$sessionKey}"; readonly params: { readonly sessionKey: string | undefined } }
    | { readonly to: "/context/$sessionKey"; readonly params: { readonly sessionKey: string } }
    | { readonly to: PlainRoute };
}

/** The pages in the order of the rail, the most used first: on phones the first four have a place of their own. */
export function usePages(): readonly PageLink[] {
  const sessionKey = useAppState((state) => state.sessionKey);
  const waiting = useAppState(waitingCount);
  return [
    { id: "chat", label: t("Chat"), icon: "chat", link: { to: "/chat/{-$sessionKey}", params: { sessionKey } } },
    { id: "inbox", label: t("Inbox"), icon: "inbox", link: { to: "/inbox" }, waiting },
    { id: "overview", label: t("Overview"), icon: "overview", link: { to: "/overview" } },
    { id: "automations", label: t("Automations"), icon: "automations", link: { to: "/automations" } },
    { id: "memory", label: t("Memory"), icon: "memory", link: { to: "/memory" } },
    { id: "agent", label: t("Agent"), icon: "agent", link: { to: "/agent/{-$agentId}/{-$tab}" } },
    { id: "agents", label: t("Agents"), icon: "agents", link: { to: "/agents" } },
    { id: "channels", label: t("Channels"), icon: "channels", link: { to: "/channels" } },
    { id: "usage", label: t("Usage"), icon: "usage", link: { to: "/usage" } },
    { id: "settings", label: t("Settings"), icon: "gear", link: { to: "/settings/{-$section}" } },
    { id: "logs", label: t("Logs"), icon: "logs", link: { to: "/logs" } },
    ...(sessionKey === undefined
      ? []
      : [{ id: "context", label: t("Context"), icon: "context", link: { to: "/context/$sessionKey", params: { sessionKey } } } as const]),
  ];
}
