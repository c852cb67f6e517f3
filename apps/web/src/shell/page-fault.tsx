import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useAppState } from "../app/app-context.ts";
import { loadStylesAgain } from "./load-styles-again.ts";
import { PageFrame } from "./page-frame.tsx";
import { t } from "../i18n/t.ts";

/** Shown instead of a page that has a fault. One that was opened without the gateway is tried again once it is back. */
export function PageFault({ error, reset }: ErrorComponentProps): React.JSX.Element {
  const router = useRouter();
  const isConnected = useAppState((state) => state.connection.type === "connected");
  // Its program may not have been loaded: it is requested again.
  const retry = (): void => void loadStylesAgain(document).then(() => router.invalidate().then(reset));
  const wasAway = useRef(!isConnected);
  useEffect(() => {
    if (isConnected && wasAway.current) retry();
    wasAway.current = !isConnected;
  });
  return (
    <PageFrame title={t("This page has a fault")}>
      <div className="chat-note" role="alert">
        {isConnected ? null : <p>{t("If it could not be loaded without the gateway, it opens by itself once the gateway is back.")}</p>}
        <p>{t("This page has a fault. The other pages and the gateway keep working, and what you have typed is kept.")}</p>
        <p className="gate-reason">{error instanceof Error ? error.message : String(error)}</p>
        <button type="button" className="button primary" onClick={retry}>
          {t("Try again")}
        </button>
        <button type="button" className="button" onClick={() => window.location.reload()}>
          {t("Reload the page")}
        </button>
      </div>
    </PageFrame>
  );
}

/** Without the shell there is no place for a page: the fault is shown instead of everything. */
export function ShellFault({ error }: ErrorComponentProps): never {
  throw error;
}

/** Shown at an address that leads nowhere. */
export function NoSuchPage(): React.JSX.Element {
  return (
    <PageFrame title={t("There is no such page")}>
      <p className="chat-note">{t("The address of this page is not known. Choose another one in the list of pages.")}</p>
    </PageFrame>
  );
}
