import type { ConfigView } from "@factotum/protocol";
import { useSyncExternalStore } from "react";
import { useSession } from "../../../app/app-context.ts";
import { perSession } from "../../../app/per-session.ts";
import { Store } from "../../../app/store.ts";
import { leaveQuestion } from "../../../drafts/leave-question.ts";
import { applyMergePatch, isSame, mergePatchOf } from "../../../ui/schema-form/merge-patch.ts";
import { mergeText } from "./merge-text.ts";

/** Changes that are not saved, and the file that they were made for. Secrets that were typed are in it, so it is kept in memory alone. */
export type ConfigDraft =
  | { readonly type: "forms"; readonly base: ConfigView; readonly document: Readonly<Record<string, unknown>> }
  | { readonly type: "text"; readonly base: ConfigView; readonly text: string };

interface DraftState {
  readonly draft: ConfigDraft | undefined;
}

const storeOf = perSession((session) => {
  // At once: a field shows what is typed.
  const store = new Store<DraftState>({ draft: undefined }, (notify) => notify());
  const askBeforeLeaving = leaveQuestion(window);
  store.subscribe(() => askBeforeLeaving(store.get().draft !== undefined));
  session.onClose(() => askBeforeLeaving(false));
  return store;
});

/** What is not saved yet, and the way to change it. It stays when another page is shown, and goes with the session and with the window, about which the browser asks. */
export function useConfigDraft(): readonly [draft: ConfigDraft | undefined, set: (draft: ConfigDraft | undefined) => void] {
  const store = storeOf(useSession());
  const { draft } = useSyncExternalStore(store.subscribe, store.get);
  return [draft, (next) => store.update({ draft: next !== undefined && hasChanges(next) ? next : undefined })];
}

/** What a draft asks the gateway for. */
export function changeOf(draft: ConfigDraft): { readonly patch: Readonly<Record<string, unknown>> } | { readonly text: string } {
  return draft.type === "text" ? { text: draft.text } : { patch: mergePatchOf(draft.base.written, draft.document) };
}

function hasChanges(draft: ConfigDraft): boolean {
  return draft.type === "text" ? draft.text !== (draft.base.text ?? "") : !isSame(draft.document, draft.base.written);
}

/**
 * The same changes for a file that has changed meanwhile. Of forms every changed key stays; of a text the changes of both, if they are in different places, and
 * otherwise the person's text as it is.
 */
export function rebased(draft: ConfigDraft, base: ConfigView): ConfigDraft {
  if (draft.type === "text") return { ...draft, base, text: mergeText(draft.base.text ?? "", draft.text, base.text ?? "") ?? draft.text };
  const document = applyMergePatch(base.written, mergePatchOf(draft.base.written, draft.document));
  return { ...draft, base, document: document as Readonly<Record<string, unknown>> };
}
