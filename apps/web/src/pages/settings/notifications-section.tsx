import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { InstallCard } from "./install-card.tsx";

/** How this browser says that something waits, and how the page becomes an app. */
export function NotificationsSection(): React.JSX.Element {
  return (
    <>
      <Card title={t("This browser")}>
        <p>{t("The title of the window says how many items wait in the inbox.")}</p>
      </Card>
      <InstallCard />
    </>
  );
}
