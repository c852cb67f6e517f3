import type { SessionStore } from "@factotum/store";
import { checkImage } from "./check-image.ts";
import type { MediaStage } from "./media-stage.ts";
import { isMissing } from "./store/is-missing.ts";

/** Dependencies of reading a file. */
export interface SessionFileParts {
  readonly store: Pick<SessionStore, "readSession">;
  readonly media: Pick<MediaStage, "store">;
}

/** A file of a conversation. */
export interface SessionFile {
  readonly bytes: Uint8Array;
  /** Of an image, by its bytes; absent for everything else. */
  readonly imageType?: string;
}

/** What people are told of a file that is not there. */
export const NO_SUCH_FILE = "This conversation has no such file, or not any more: files are kept for 14 days.";

/** A file of a message in the session's current conversation; `undefined` if it has none with the id, or not any more. */
export async function readSessionFile(
  { id, sessionKey }: { readonly id: string; readonly sessionKey: string },
  { store, media }: SessionFileParts,
): Promise<SessionFile | undefined> {
  const session = await store.readSession(sessionKey);
  const found = session === undefined ? undefined : await media.store.find(session.sessionId, id);
  if (found === undefined) return undefined;
  try {
    const bytes = await media.store.read(found);
    const image = checkImage(bytes);
    return { bytes, ...(image.type === "image" ? { imageType: image.mimeType } : {}) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
