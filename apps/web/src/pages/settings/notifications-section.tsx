import { useSyncExternalStore } from "react";
import { useSession } from "../../app/app-context.ts";
import type { NotificationState } from "../../app/notifier.ts";
import { msg, t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { InstallCard } from "./install-card.tsx";

const PROBLEMS: Readonly<Partial<Record<NotificationState, string>>> = {
  unsupported: msg("This browser shows no notifications of pages."),
  insecure: msg("Browsers show notifications only of pages from this machine (localhost) or over HTTPS."),
  blocked: msg(
    "You have blocked notifications of this page. Allow them in the browser’s settings for this address, then turn them on here.",
  ),
};

/** How this browser says that something waits, and how the page becomes an app. */
export function NotificationsSection(): React.JSX.Element {
  const { notifier } = useSession();
  const state = useSyncExternalStore(notifier.onChange, notifier.state);
  const problem = PROBLEMS[state];
  return (
    <>
      <Card title={t("This browser")}>
        <label className="check">
          <input
            type="checkbox"
            checked={state === "on"}
            disabled={problem !== undefined}
            onChange={({ target }) => (target.checked ? void notifier.turnOn() : notifier.turnOff())}
          />
          {t("Notify me when an answer is ready or a call waits for me, while this page is hidden")}
        </label>
        {problem === undefined ? (
          <p>{t("Notifications are shown on this device. Nothing of what was said is in them.")}</p>
        ) : (
          <p role="alert">{t(problem)}</p>
        )}
        <p>{t("The title of the window says how many items wait in the inbox.")}</p>
      </Card>
      <InstallCard />
    </>
  );
}
