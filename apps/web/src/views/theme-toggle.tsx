import { useState } from "react";
import { applyTheme, loadTheme, type Theme } from "../app/theme.ts";
import { Icon } from "./icon.tsx";

const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: "system", light: "sun", dark: "moon" } as const;

/** Cycles through the themes: the device's, light, dark. */
export function ThemeToggle(): React.JSX.Element {
  const [theme, setTheme] = useState(() => loadTheme(localStorage));
  const change = (): void => {
    applyTheme(NEXT[theme], window);
    setTheme(NEXT[theme]);
  };
  const label = `Colours: ${theme}. Change to ${NEXT[theme]}`;
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={change}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}
