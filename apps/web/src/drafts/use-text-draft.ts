import { useState } from "react";
import { useSession } from "../app/app-context.ts";
import { perSession } from "../app/per-session.ts";
import { type StoredText, TextDrafts } from "./text-drafts.ts";

/** A text that is edited, over the one that is stored. */
export interface TextDraft {
  /** As it is edited, or as it is stored. */
  readonly text: string;
  readonly isChanged: boolean;
  /** The stored text was changed by something else since the edited one was made from it. Nothing is saved until one of them is chosen. */
  readonly isOutdated: boolean;
  readonly edit: (text: string) => void;
  /** Drops what was edited. */
  readonly discard: () => void;
  /** Keeps what was edited, to be saved over what is stored now. */
  readonly keep: () => void;
  /** Saves what was edited. `write` resolves with what is stored then, or with nothing if it failed; what is typed meanwhile stays. True if it was saved. */
  readonly save: (write: (text: string, baseHash: string) => Promise<StoredText | undefined>) => Promise<boolean>;
}

const draftsOf = perSession((session) => {
  const drafts = new TextDrafts(window);
  session.onClose(() => drafts.close());
  return drafts;
});

/** The unsaved text of this name. It is kept while other texts and other pages are shown, and lost with the window, which the browser asks about. */
export function useTextDraft(name: string, stored: StoredText): TextDraft {
  const drafts = draftsOf(useSession());
  const [, setSerial] = useState(0);
  const draft = drafts.get(name);
  const set = (next: Parameters<TextDrafts["set"]>[1]): void => {
    drafts.set(name, next);
    setSerial((serial) => serial + 1);
  };
  const isOutdated = draft !== undefined && draft.base.baseHash !== stored.baseHash && draft.text !== stored.text;
  return {
    text: draft?.text ?? stored.text,
    isChanged: draft !== undefined,
    isOutdated,
    edit: (text) => {
      const base = draft?.base ?? stored;
      set(text === base.text || text === stored.text ? undefined : { text, base });
    },
    discard: () => set(undefined),
    keep: () => set(draft && { text: draft.text, base: stored }),
    save: async (write) => {
      if (draft === undefined || isOutdated) return false;
      const written = await write(draft.text, draft.base.baseHash);
      if (written === undefined) return false;
      const now = drafts.get(name);
      set(now === undefined || now.text === draft.text ? undefined : { text: now.text, base: written });
      return true;
    },
  };
}
