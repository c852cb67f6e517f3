import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { findAnchor, type ScrollAnchor } from "./scroll-anchor.ts";

/** Closer to the end than this counts as reading along, pixels. */
const NEAR_PX = 80;

/** What a scrolling conversation needs. */
export interface ScrollKeeper {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** What scrolls; its children are the rows. */
  readonly column: RefObject<HTMLDivElement | null>;
  /** True when the end is out of sight. */
  readonly away: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/**
 * Stays at the end while a person reads along, and leaves them at the row they are at when they have scrolled up: whatever changes its height above that
 * row (older messages, rows that are drawn for the first time, another width) and whatever changes the size of the view (a window, a turned phone, the
 * keyboard of one). `sendKey` changes when the person says something, which goes to the end. Another `sessionKey` begins at its end.
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
    // Only who scrolls up leaves the end: a view that shrinks, and rows that grow, do not.
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
    // Told after layout and before drawing, so that nothing is seen to jump.
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
