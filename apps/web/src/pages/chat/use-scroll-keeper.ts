import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { findAnchor, type ScrollAnchor } from "./scroll-anchor.ts";

/** Closer to the end than this, in pixels, counts as following along. */
const NEAR_PX = 80;

/** State of a scrolling conversation. */
export interface ScrollKeeper {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The scrolled element; its children are the rows. */
  readonly column: RefObject<HTMLDivElement | null>;
  /** True if the end is not visible. */
  readonly away: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/**
 * Stays at the end while a person follows along, and keeps the row that they read after scrolling up, whatever changes the height above that row (older
 * messages, rows rendered for the first time, another width) or the size of the view (a window, a rotated phone, its keyboard). `sendKey` changes when the
 * person sends something, which scrolls to the end. Another `sessionKey` starts at its end.
 */
export function useScrollKeeper(facts: {
  readonly sessionKey: string | undefined;
  readonly sendKey: string | undefined;
  readonly content: unknown;
}): ScrollKeeper {
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const seen = useRef({ atEnd: true, topPx: 0, sessionKey: facts.sessionKey, sendKey: facts.sendKey });
  const anchor = useRef<ScrollAnchor>(undefined);
  const [away, setAway] = useState(false);

  const keep = useCallback(() => {
    const { current: element } = scroller;
    if (element === null) return;
    if (seen.current.atEnd) element.scrollTop = element.scrollHeight;
    else if (anchor.current?.row.isConnected === true) {
      const moved = anchor.current.row.getBoundingClientRect().top - element.getBoundingClientRect().top - anchor.current.topPx;
      if (Math.abs(moved) >= 1) element.scrollTop += moved;
    }
    seen.current.topPx = element.scrollTop;
  }, []);

  const onScroll = useCallback(() => {
    const { current: element } = scroller;
    if (element === null) return;
    const { scrollTop } = element;
    const isNear = element.scrollHeight - scrollTop - element.clientHeight < NEAR_PX;
    // Only scrolling up leaves the end; a shrinking view and growing rows do not.
    const atEnd = isNear || (seen.current.atEnd && scrollTop >= seen.current.topPx);
    seen.current.atEnd = atEnd;
    seen.current.topPx = scrollTop;
    anchor.current = atEnd || column.current === null ? undefined : findAnchor(element, column.current);
    setAway(!atEnd);
  }, []);

  const toEnd = useCallback(() => {
    seen.current.atEnd = true;
    keep();
  }, [keep]);

  useEffect(() => {
    const { current: element } = scroller;
    const { current: rows } = column;
    if (element === null || rows === null) return;
    // Runs after layout and before painting, so that nothing visibly jumps.
    const observer = new ResizeObserver(keep);
    observer.observe(element);
    observer.observe(rows);
    return () => observer.disconnect();
  }, [keep]);

  const { sessionKey, sendKey, content } = facts;
  useLayoutEffect(() => {
    const before = seen.current;
    const isNew = before.sessionKey !== sessionKey || (sendKey !== undefined && before.sendKey !== sendKey);
    if (isNew) anchor.current = undefined;
    seen.current = { ...before, atEnd: before.atEnd || isNew, sessionKey, sendKey };
    keep();
  }, [sessionKey, sendKey, content, keep]);

  return { scroller, column, away, onScroll, toEnd };
}
