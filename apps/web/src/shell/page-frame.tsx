import { useLayoutEffect } from "react";
import { SetupButton } from "../first-run/setup-button.tsx";
import { ConnectionMark } from "./connection-banner.tsx";
import { type SkipTarget, usePageFacts } from "./page-facts.ts";
import { ThemeToggle } from "./theme-toggle.tsx";

interface PageFrameProps {
  /** The page's heading, and the title of the window. */
  readonly title: string;
  /** Where the first link of the page leads, if not to its content. */
  readonly skip?: SkipTarget | undefined;
  /** A button before the heading. */
  readonly lead?: React.ReactNode;
  /** A column on the left of everything else. */
  readonly sidebar?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** The frame of every page: an optional sidebar, the bar with the heading, and the content. */
export function PageFrame({ title, skip, lead, sidebar, children }: PageFrameProps): React.JSX.Element {
  const { setTitle, setSkip } = usePageFacts();
  useLayoutEffect(() => setTitle(title), [title, setTitle]);
  useLayoutEffect(() => {
    setSkip(skip);
    return () => setSkip(undefined);
  }, [skip, setSkip]);
  return (
    <div className={sidebar === undefined ? "page" : "page with-sidebar"}>
      {sidebar}
      <div className="stage">
        <header className="topbar">
          {lead}
          <h1>{title}</h1>
          <ConnectionMark />
          <ThemeToggle />
          <SetupButton />
        </header>
        <main className="main" id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
