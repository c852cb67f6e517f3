import type { MediaStage } from "../media/media-stage.ts";
import type { SessionStore } from "@factotum/store";
import { checkImage } from "../media/check-image.ts";
import { isMissing } from "../media/store/is-missing.ts";
import { renderError } from "./completions/render-response.ts";

/** What files are found with. */
export interface MediaRoute {
  readonly store: Pick<SessionStore, "readSession">;
  readonly media: Pick<MediaStage, "store">;
}

/** Whatever a file holds, a browser neither guesses its kind nor runs anything of it. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  // A file never changes under its id, and goes with its conversation.
  "cache-control": "private, max-age=3600",
};

/**
 * `GET /media/<id>?session=<key>`: a file that came with a message of the session's present conversation. An image is named by its own bytes; everything
 * else is a download. The caller is authorised.
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
