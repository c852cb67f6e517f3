import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { PageFrame } from "./page-frame.tsx";
import { t } from "../i18n/t.ts";

/** Shown instead of a page that has a fault. */
export function PageFault({ error, reset }: ErrorComponentProps): React.JSX.Element {
  const router = useRouter();
  // Its program may not have been loaded: it is requested again.
  const retry = (): void => void router.invalidate().then(reset);
  return (
    <PageFrame title={t("This page has a fault")}>
      <div className="chat-note" role="alert">
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
