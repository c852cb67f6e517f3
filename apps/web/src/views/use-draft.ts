import { useState } from "react";

const DRAFT_KEY = "factotum.draft.";

/** What is typed and not sent in a session; every session has its own, and a reload keeps it. */
export function useDraft(sessionKey: string): readonly [string, (text: string) => void] {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const key = DRAFT_KEY + sessionKey;
  const change = (text: string): void => {
    setDrafts({ ...drafts, [sessionKey]: text });
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  };
  return [drafts[sessionKey] ?? sessionStorage.getItem(key) ?? "", change];
}
