import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { useController } from "../../app/app-context.ts";
import type { ChatState } from "../../chat/chat-state.ts";
import { type ChangedTurn, findUndos, mayHaveChangedFiles, type UndoOffer, type UndoOffers } from "../../chat/undoable-turn.ts";

const NONE: UndoOffers = { earlier: new Map() };

const UndoOffersContext: React.Context<UndoOffers> = createContext<UndoOffers>(NONE);

/** Around a conversation: its rows know what can be undone below them. */
export const UndoOffersProvider: React.Provider<UndoOffers> = UndoOffersContext.Provider;

/** What can be undone below an entry of an earlier turn. */
export function useUndoOffer(entryId: string | undefined): UndoOffer | undefined {
  const { earlier } = useContext(UndoOffersContext);
  return entryId === undefined ? undefined : earlier.get(entryId);
}

/** What can be undone in a conversation: asked after each turn, if a tool was called in it at all. */
export function useUndoOffers({ sessionKey, entries, live, queued }: ChatState): UndoOffers {
  const controller = useController();
  const [changed, setChanged] = useState<readonly ChangedTurn[]>([]);
  const isIdle = live === undefined && queued === 0;
  const lastId = entries.at(-1)?.id;
  const mayOffer = useMemo(() => mayHaveChangedFiles(entries), [entries]);
  useEffect(() => {
    if (!isIdle || !mayOffer) return undefined;
    let isCurrent = true;
    void controller.changedTurns(sessionKey).then((turns) => {
      if (isCurrent) setChanged(turns);
    });
    return () => {
      isCurrent = false;
    };
  }, [controller, sessionKey, lastId, isIdle, mayOffer]);
  return useMemo(() => (mayOffer && changed.length > 0 ? findUndos(entries, changed) : NONE), [entries, changed, mayOffer]);
}
