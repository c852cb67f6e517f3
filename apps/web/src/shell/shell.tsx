import { Outlet } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useAppState, useController } from "../app/app-context.ts";
import { FirstRun } from "../first-run/first-run.tsx";
import { AttachmentsProvider } from "../pages/chat/attachments-context.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NavigationRail } from "./navigation-rail.tsx";
import { PageFactsContext, type SkipTarget } from "./page-facts.ts";
import { ToastRegion } from "../ui/toasts.tsx";
import { PaletteHost } from "./palette-host.tsx";
import { UndoBanner } from "./undo-banner.tsx";
import { useTitle } from "./use-title.ts";
import { WarningList } from "./warning-list.tsx";
import { t } from "../i18n/t.ts";

/** The frame around every page once there is a token: the way to the others, and what is to be noticed on all of them. */
export function Shell(): React.JSX.Element {
  const [title, setTitle] = useState("");
  const [skip, setSkip] = useState<SkipTarget>();
  useTitle(title);
  const facts = useMemo(() => ({ setTitle, setSkip }), []);
  return (
    <PageFactsContext value={facts}>
      <Surroundings>
        <div className="shell">
          <SkipLink skip={skip} />
          <NavigationRail />
          <div className="shell-page">
            <section aria-label={t("Notices")}>
              <ConnectionBanner />
              <WarningList />
              <UndoBanner />
              <News />
              <Alert />
            </section>
            <Outlet />
          </div>
        </div>
      </Surroundings>
    </PageFactsContext>
  );
}

/** What every page can open or show, and what outlives a page. */
function Surroundings({ children }: { readonly children: React.ReactNode }): React.JSX.Element {
  return (
    <ToastRegion>
      <FirstRun>
        <PaletteHost>
          <AttachmentsProvider>{children}</AttachmentsProvider>
        </PaletteHost>
      </FirstRun>
    </ToastRegion>
  );
}

function Alert(): React.JSX.Element | null {
  const alert = useAppState((state) => state.alert);
  const controller = useController();
  if (alert === undefined) return null;
  return (
    <div className="banner error" role="alert">
      <span>{alert}</span>
      <button type="button" className="text-button" onClick={() => controller.dismissAlert()}>
        {t("Dismiss")}
      </button>
    </div>
  );
}

/** Always there: screen readers announce what is added. */
function News(): React.JSX.Element {
  const news = useAppState((state) => state.news);
  const controller = useController();
  return (
    <output>
      {news === undefined ? null : (
        <span className="banner">
          <span dir="auto">{news}</span>
          <button type="button" className="text-button" onClick={() => controller.dismissNews()}>
            {t("Dismiss")}
          </button>
        </span>
      )}
    </output>
  );
}

function SkipLink({ skip }: { readonly skip: SkipTarget | undefined }): React.JSX.Element {
  return (
    <a
      className="skip-link"
      href="#content"
      onClick={(event) => {
        // The fragment of the address is the route.
        event.preventDefault();
        if (skip === undefined) document.getElementById("content")?.focus();
        else skip.follow();
      }}
    >
      {skip?.label ?? t("Go to the content")}
    </a>
  );
}
