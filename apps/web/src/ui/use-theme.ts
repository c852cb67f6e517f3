import { useSyncExternalStore } from "react";

/** The theme that is shown, chosen or the device's. For what is not drawn by style sheets. */
export function useTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribe, shownTheme);
}

function subscribe(changed: () => void): () => void {
  const media = darkDevice();
  const observer = new MutationObserver(changed);
  media.addEventListener("change", changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    media.removeEventListener("change", changed);
    observer.disconnect();
  };
}

function shownTheme(): "light" | "dark" {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return darkDevice().matches ? "dark" : "light";
}

function darkDevice(): MediaQueryList {
  return window.matchMedia("(prefers-color-scheme: dark)");
}
