import { useEffect, useRef } from "react";

/**
 * Keeps the keyboard's place in a list whose items go: when the item with the focus has gone, the one in its place is focused, or the last one, or the page's
 * content. The items are focusable children of the list. Pass the returned function as its `onFocus`.
 */
export function useKeptFocus(list: React.RefObject<HTMLElement | null>, keys: readonly string[]): (event: React.FocusEvent) => void {
  const place = useRef<{ readonly index: number; readonly key: string }>(undefined);
  const shown = keys.join("\n");
  useEffect(() => {
    const was = place.current;
    const now = shown.split("\n");
    if (was === undefined || now.includes(was.key) || document.activeElement !== document.body) return;
    const index = Math.min(was.index, now.length - 1);
    const item = list.current?.children[index];
    const next = item instanceof HTMLElement ? item : document.getElementById("content");
    place.current = undefined;
    next?.focus();
  }, [list, shown]);
  return ({ target }) => {
    const index = [...(list.current?.children ?? [])].findIndex((item) => item.contains(target));
    const key = keys[index];
    place.current = key === undefined ? undefined : { index, key };
  };
}
