import { useState } from "react";
import { applyTheme, loadTheme, type Theme } from "../app/theme.ts";
import { Icon } from "../ui/icon.tsx";

const ICONS = { system: "system", light: "sun", dark: "moon" } as const;
const NAMES: Readonly<Record<Theme, string>> = { system: "As the device", light: "Light", dark: "Dark" };

/** Chooses the theme. A native list shows all three and announces which one is selected. */
export function ThemeToggle(): React.JSX.Element {
  const [theme, setTheme] = useState(() => loadTheme(localStorage));
  const change = (chosen: Theme): void => {
    applyTheme(chosen, window);
    setTheme(chosen);
  };
  return (
    <span className="icon-button theme">
      <Icon name={ICONS[theme]} />
      <select
        aria-label="Colours"
        title={`Colours: ${NAMES[theme]}`}
        value={theme}
        onChange={(event) => change(event.target.value as Theme)}
      >
        {Object.entries(NAMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
