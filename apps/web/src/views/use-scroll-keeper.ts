import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** Closer to the end than this counts as reading along, pixels. */
const NEAR_PX = 80;

/** What a scrolling conversation needs. */
export interface ScrollKeeper {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** True when the end is out of sight. */
  readonly away: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/**
 * Stays at the end while a person reads along, and leaves them where they are when they have scrolled up. `firstId` names the first row: when another one
 * comes before it, what was in sight stays in sight. `sendKey` changes when the person says something, which goes to the end. Another `sessionKey` begins at its end.
 */
export function useScrollKeeper(facts: {
  readonly sessionKey: string | undefined;
  readonly firstId: string | undefined;
  readonly sendKey: string | undefined;
  readonly content: unknown;
}): ScrollKeeper {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useRef({ atEnd: true, height: 0, sessionKey: facts.sessionKey, firstId: facts.firstId, sendKey: facts.sendKey });
  const [away, setAway] = useState(false);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    seen.current.atEnd = atEnd;
    setAway(!atEnd);
  }, []);

  const { sessionKey, firstId, sendKey, content } = facts;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const before = seen.current;
    const isNew = before.sessionKey !== sessionKey || (sendKey !== undefined && before.sendKey !== sendKey);
    if (isNew || before.atEnd) toEnd();
    else if (before.firstId !== firstId && before.firstId !== undefined) element.scrollTop += element.scrollHeight - before.height;
    seen.current = { atEnd: before.atEnd || isNew, height: element.scrollHeight, sessionKey, firstId, sendKey };
  }, [sessionKey, firstId, sendKey, content, toEnd]);

  return { scroller, away, onScroll, toEnd };
}
