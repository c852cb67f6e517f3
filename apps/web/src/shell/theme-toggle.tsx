import { useSyncExternalStore } from "react";
import { applyTheme, loadTheme, onThemeChange, type Theme } from "../app/theme.ts";
import { Icon } from "../ui/icon.tsx";
import { msg, t } from "../i18n/t.ts";

const ICONS = { system: "system", light: "sun", dark: "moon" } as const;
const NAMES: Readonly<Record<Theme, string>> = { system: msg("As the device"), light: msg("Light"), dark: msg("Dark") };

/** Chooses the theme. A native list shows all three and announces which one is selected. */
export function ThemeToggle(): React.JSX.Element {
  const theme = useSyncExternalStore(onThemeChange, () => loadTheme(localStorage));
  return (
    <span className="icon-button theme">
      <Icon name={ICONS[theme]} />
      <select
        aria-label={t("Colours")}
        title={t("Colours: {theme}", { theme: t(NAMES[theme]) })}
        value={theme}
        onChange={(event) => applyTheme(event.target.value as Theme, window)}
      >
        {Object.entries(NAMES).map(([value, name]) => (
          <option key={value} value={value}>
            {t(name)}
          </option>
        ))}
      </select>
    </span>
  );
}
