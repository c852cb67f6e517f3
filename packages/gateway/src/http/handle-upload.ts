import type { IncomingMessage } from "node:http";
import { MAX_UPLOAD_BYTES } from "@factotum/protocol";
import { checkImage } from "../media/check-image.ts";
import type { UploadStore } from "../media/store/upload-store.ts";
import { renderError } from "./completions/render-response.ts";
import { readBody } from "./read-body.ts";

/**
 * `POST /uploads`: the body is one image; the answer's `ref` goes into `chat.send`. Over HTTP and not the socket, because the frame limit of 1 MiB would have to
 * be twenty times as large for one, for every client and before authentication. The caller is authorised.
 */
export async function handleUpload(request: IncomingMessage, uploads: UploadStore): Promise<Response> {
  const body = await readBody(request, MAX_UPLOAD_BYTES);
  if (body.type === "refused") return refused(`The image is larger than ${MAX_UPLOAD_BYTES / 1_000_000} MB.`, 413);
  const checked = checkImage(body.bytes);
  if (checked.type === "refused") return refused(`${checked.message}.`, checked.reason === "too-large" ? 413 : 400);
  return Response.json({ ref: await uploads.put(body.bytes), mimeType: checked.mimeType }, { status: 201 });
}

function refused(message: string, status: 400 | 413): Response {
  return Response.json(
    renderError(message, { type: "invalid_request_error", code: status === 413 ? "image_too_large" : "invalid_image" }),
    {
      status,
    },
  );
}
