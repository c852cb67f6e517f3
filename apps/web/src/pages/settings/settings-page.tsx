import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { msg, t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { parseSection, type Section, SECTIONS } from "./settings-search.ts";
import styles from "./settings.module.css";

const NAMES: Readonly<Record<Section, string>> = {
  models: msg("Models and keys"),
  configuration: msg("Configuration"),
  access: msg("Access"),
  appearance: msg("Appearance"),
  notifications: msg("Notifications"),
};

/** Each is loaded when it is opened. */
const VIEWS: Readonly<Record<Section, React.ComponentType>> = {
  models: lazy(async () => ({ default: (await import("./models/models-section.tsx")).ModelsSection })),
  configuration: lazy(async () => ({ default: (await import("./configuration/configuration-section.tsx")).ConfigurationSection })),
  access: lazy(async () => ({ default: (await import("./access-section.tsx")).AccessSection })),
  appearance: lazy(async () => ({ default: (await import("./appearance-section.tsx")).AppearanceSection })),
  notifications: lazy(async () => ({ default: (await import("./notifications-section.tsx")).NotificationsSection })),
};

/** What the owner sets: models and keys, the configuration, and how this browser shows the page. The address names the part that is shown. */
export function SettingsPage(): React.JSX.Element {
  const { section: name } = useParams({ from: "/data/settings/{-$section}" });
  const navigate = useNavigate();
  const section = parseSection(name);
  const View = VIEWS[section];
  return (
    <PageFrame title={t("Settings")}>
      <div className="page-scroll">
        <div className={`page-content ${styles["content"]}`}>
          <Tabs
            label={t("Settings")}
            tabs={SECTIONS.map((id) => ({ id, label: t(NAMES[id]) }))}
            selected={section}
            onSelect={(id) => void navigate({ to: "/settings/{-$section}", params: { section: id }, search: {} })}
          >
            <Suspense fallback={<p className="chat-note">{t("Loading…")}</p>}>
              <View />
            </Suspense>
          </Tabs>
        </div>
      </div>
    </PageFrame>
  );
}
