import type { AppController } from "./app-controller.ts";
import type { AppState } from "./app-state.ts";
import type { Store } from "./store.ts";

/** Pages of older messages that are loaded to find one. */
const MAX_PAGES = 100;
/** How long another branch may take to be shown, in milliseconds. */
const BRANCH_MS = 5000;

/** Where a message is to be shown. */
interface MessageTarget {
  readonly controller: AppController;
  readonly store: Store<AppState>;
}

/**
 * Opens the conversation of a message and loads older ones until it is there. A message of another branch is shown in its own. False if it is not in the
 * conversation as it is now.
 */
export async function openMessage(
  { sessionKey, entryId }: { readonly sessionKey: string; readonly entryId: string },
  { controller, store }: MessageTarget,
): Promise<boolean> {
  const isHere = (): boolean => {
    const { open } = store.get();
    return open.type === "open" && open.chat.entries.some(({ id }) => id === entryId);
  };
  controller.openSession(sessionKey);
  await until(store, () => store.get().sessionKey !== sessionKey || store.get().open.type !== "loading");
  for (let page = 0; page < MAX_PAGES && !isHere(); page += 1) {
    const { open } = store.get();
    if (store.get().sessionKey !== sessionKey || open.type !== "open" || open.chat.before === undefined) break;
    // Ids sort in the order of the conversation.
    if ((open.chat.entries[0]?.id ?? "") < entryId) break;
    await controller.loadOlder();
  }
  if (isHere() || store.get().sessionKey !== sessionKey) return isHere();
  await controller.branches.show(entryId);
  await until(store, isHere, BRANCH_MS);
  return isHere();
}

/** Resolves when a condition holds, at the latest after some milliseconds. */
async function until({ subscribe }: Store<AppState>, holds: () => boolean, maxMs?: number): Promise<void> {
  if (holds()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = subscribe(() => {
    if (holds()) resolve();
  });
  const timer = maxMs === undefined ? undefined : setTimeout(resolve, maxMs);
  await promise;
  clearTimeout(timer);
  end();
}
