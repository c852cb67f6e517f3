import { useCallback, useEffect, useRef, useState } from "react";

const DRAFT_KEY = "factotum.draft.";
/** Drops the unsent texts of this tab. */
export function forgetDrafts(storage: Storage): void {
  for (const key of Object.keys(storage)) if (key.startsWith(DRAFT_KEY)) storage.removeItem(key);
}

/** Writing to the storage takes longer than a key press may. */
const STORE_DELAY_MS = 400;

/** The unsent text of a session; every session has its own, and it survives a reload. It is stored when typing pauses, and when the page is left. */
export function useDraft(sessionKey: string): readonly [string, (text: string) => void] {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const waiting = useRef(new Map<string, string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    for (const [key, text] of waiting.current) {
      if (text === "") sessionStorage.removeItem(DRAFT_KEY + key);
      else sessionStorage.setItem(DRAFT_KEY + key, text);
    }
    waiting.current.clear();
  }, []);
  useEffect(() => {
    // The last reliable events of a page: it is closed, reloaded, or moved to the background on a phone.
    const onHidden = (): void => {
      if (document.visibilityState === "hidden") flush();
    };
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", onHidden);
      flush();
    };
  }, [flush]);
  const change = (text: string): void => {
    setDrafts(new Map(drafts).set(sessionKey, text));
    waiting.current.set(sessionKey, text);
    clearTimeout(timer.current);
    // A sent text must not come back.
    if (text === "") flush();
    else timer.current = setTimeout(flush, STORE_DELAY_MS);
  };
  return [drafts.get(sessionKey) ?? sessionStorage.getItem(DRAFT_KEY + sessionKey) ?? "", change];
}
