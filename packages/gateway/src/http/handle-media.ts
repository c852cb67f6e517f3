import type { MediaStage } from "../media/media-stage.ts";
import type { SessionStore } from "@factotum/store";
import { checkImage } from "../media/check-image.ts";
import { isMissing } from "../media/store/is-missing.ts";
import { renderError } from "./completions/render-response.ts";

/** Dependencies of the media route. */
export interface MediaRoute {
  readonly store: Pick<SessionStore, "readSession">;
  readonly media: Pick<MediaStage, "store">;
}

/** A browser must neither guess a file's type nor execute anything in it. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  // A file never changes under its id, and goes with its conversation.
  "cache-control": "private, max-age=3600",
};

/**
 * `GET /media/<id>?session=<key>`: a file of a message in the session's current conversation. An image is served with the type of its bytes; everything else is
 * a download. The caller is authorised.
 */
export async function handleMedia(
  { id, sessionKey }: { readonly id: string; readonly sessionKey: string },
  { store, media }: MediaRoute,
): Promise<Response> {
  const session = await store.readSession(sessionKey);
  const found = session === undefined ? undefined : await media.store.find(session.sessionId, id);
  if (found === undefined) return missing();
  let bytes: Uint8Array;
  try {
    bytes = await media.store.read(found);
  } catch (error) {
    if (isMissing(error)) return missing();
    throw error;
  }
  const image = checkImage(bytes);
  const kind =
    image.type === "image"
      ? { "content-type": image.mimeType }
      : { "content-type": "application/octet-stream", "content-disposition": "attachment" };
  return new Response(new Uint8Array(bytes), { headers: { ...HEADERS, ...kind } });
}

function missing(): Response {
  const message = "This conversation has no such file, or not any more: files are kept for 14 days.";
  return Response.json(renderError(message, { type: "invalid_request_error", code: "file_not_found" }), { status: 404 });
}
