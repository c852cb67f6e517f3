/** The colour theme; `system` follows the device. */
export type Theme = "system" | "light" | "dark";

const THEME_KEY = "factotum.theme";
const listeners = new Set<() => void>();

/** The stored theme of this browser. */
export function loadTheme(storage: Pick<Storage, "getItem">): Theme {
  const stored = storage.getItem(THEME_KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Applies a theme and stores it. The stylesheet does the rest. */
export function applyTheme(theme: Theme, page: Pick<Window, "document" | "localStorage">): void {
  page.document.documentElement.dataset["theme"] = theme;
  page.localStorage.setItem(THEME_KEY, theme);
  for (const listener of listeners) listener();
}

/** Calls back whenever a theme was applied; call the returned function to stop. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
