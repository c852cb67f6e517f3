import { Outlet } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useAppState, useController } from "../app/app-context.ts";
import { FirstRun } from "../first-run/first-run.tsx";
import { AttachmentsProvider } from "../pages/chat/attachments-context.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NavigationRail } from "./navigation-rail.tsx";
import { PageFactsContext, type SkipTarget } from "./page-facts.ts";
import { UndoBanner } from "./undo-banner.tsx";
import { useTitle } from "./use-title.ts";
import { WarningList } from "./warning-list.tsx";

/** The frame around every page once there is a token: the way to the others, and what is to be noticed on all of them. */
export function Shell(): React.JSX.Element {
  const [title, setTitle] = useState("");
  const [skip, setSkip] = useState<SkipTarget>();
  useTitle(title);
  const facts = useMemo(() => ({ setTitle, setSkip }), []);
  return (
    <PageFactsContext value={facts}>
      <FirstRun>
        <AttachmentsProvider>
          <div className="shell">
            <SkipLink skip={skip} />
            <NavigationRail />
            <div className="shell-page">
              <section aria-label="Notices">
                <ConnectionBanner />
                <WarningList />
                <UndoBanner />
                <Alert />
              </section>
              <Outlet />
            </div>
          </div>
        </AttachmentsProvider>
      </FirstRun>
    </PageFactsContext>
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
        Dismiss
      </button>
    </div>
  );
}

const TO_CONTENT: SkipTarget = { label: "Go to the content", follow: () => document.getElementById("content")?.focus() };

function SkipLink({ skip = TO_CONTENT }: { readonly skip: SkipTarget | undefined }): React.JSX.Element {
  return (
    <a
      className="skip-link"
      href="#content"
      onClick={(event) => {
        // The fragment of the address is the route.
        event.preventDefault();
        skip.follow();
      }}
    >
      {skip.label}
    </a>
  );
}
