import { NO_SUCH_FILE, readSessionFile, type SessionFileParts } from "../media/read-session-file.ts";
import { renderError } from "./completions/render-response.ts";

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
export async function handleMedia(query: { readonly id: string; readonly sessionKey: string }, parts: SessionFileParts): Promise<Response> {
  const file = await readSessionFile(query, parts);
  if (file === undefined) return missing();
  const { bytes, imageType } = file;
  const kind =
    imageType === undefined
      ? { "content-type": "application/octet-stream", "content-disposition": "attachment" }
      : { "content-type": imageType };
  return new Response(new Uint8Array(bytes), { headers: { ...HEADERS, ...kind } });
}

function missing(): Response {
  return Response.json(renderError(NO_SUCH_FILE, { type: "invalid_request_error", code: "file_not_found" }), { status: 404 });
}
