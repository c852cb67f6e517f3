import { useState } from "react";
import { useSession } from "../../app/app-context.ts";
import type { AppSession } from "../../app/app-session.ts";

/** A text that was changed and not saved, with the text that it began with. */
export interface Draft {
  readonly text: string;
  readonly before: string;
  readonly baseHash: string;
}

const bySession = new WeakMap<AppSession, Map<string, Draft>>();

/** The unsaved text of a file. It is kept while other files and other pages are shown, and lost with the window. */
export function useFileDraft(agentId: string, path: string): readonly [Draft | undefined, (draft: Draft | undefined) => void] {
  const session = useSession();
  const drafts = bySession.get(session) ?? new Map<string, Draft>();
  bySession.set(session, drafts);
  const key = `${agentId}/${path}`;
  const [, setSerial] = useState(0);
  const set = (draft: Draft | undefined): void => {
    if (draft === undefined) drafts.delete(key);
    else drafts.set(key, draft);
    setSerial((serial) => serial + 1);
  };
  return [drafts.get(key), set];
}
