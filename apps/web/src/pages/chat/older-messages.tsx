import { type RefObject, useEffect, useRef } from "react";
import { useAppState, useController } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";

/** Distance above the view at which older messages are requested, so that they are loaded in time. */
const MARGIN = "1200px 0px 0px 0px";

/** Loads older messages when scrolled to; the button is for keyboard users, and for a retry after a failure. */
export function OlderMessages({
  scroller,
  isReached,
}: {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** All rows below it are drawn. */
  readonly isReached: boolean;
}): React.JSX.Element {
  const older = useAppState((state) => state.older);
  const controller = useController();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = place;
    if (element === null || !isReached || older !== "idle") return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void controller.loadOlder();
      },
      { root: scroller.current, rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [older, isReached, controller, scroller]);
  const words = { idle: t("Show earlier messages"), loading: t("Loading…"), failed: t("Earlier messages could not be loaded. Try again") };
  return (
    <div className="older" ref={place}>
      <button type="button" className="text-button" disabled={older === "loading"} onClick={() => void controller.loadOlder()}>
        {words[older]}
      </button>
    </div>
  );
}
