import { useSyncExternalStore } from "react";
import { useSession } from "../../app/app-context.ts";
import type { InstallState } from "../../app/install-offer.ts";
import { msg, t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

const WORDS: Readonly<Record<InstallState, string>> = {
  insecure: msg(
    "Browsers install pages only from this machine (localhost) or over HTTPS. Put the gateway behind a server with HTTPS, or use Tailscale; then open that address.",
  ),
  installed: msg("This page is installed."),
  offered: msg("Installed, the page has a window and an icon of its own, and opens while the gateway is away."),
  menu: msg(
    "Install the page with your browser’s menu: “Install”, or “Add to Home Screen”. Then it has an icon of its own, and opens while the gateway is away.",
  ),
};

/** How this page becomes an app on this device. */
export function InstallCard(): React.JSX.Element {
  const { install } = useSession();
  const state = useSyncExternalStore(install.onChange, install.state);
  return (
    <Card title={t("As an app")}>
      <p>{t(WORDS[state])}</p>
      {state === "offered" ? <Button onClick={() => void install.install()}>{t("Install")}</Button> : null}
    </Card>
  );
}
