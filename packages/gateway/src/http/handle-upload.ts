import type { IncomingMessage } from "node:http";
import { sniffMedia } from "@factotum/channel-kit";
import { MAX_UPLOAD_BYTES } from "@factotum/protocol";
import { checkImage } from "../media/check-image.ts";
import type { UploadStore } from "../media/store/upload-store.ts";
import { renderError } from "./completions/render-response.ts";
import { readBody } from "./read-body.ts";

/** Images of other types are files that tools can read. */
const MODEL_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * `POST /uploads`: the body is one file of any type; the answer's `ref` and `kind` go into `chat.send`. What it is says its content alone, never the request: an
 * image must be one that a model can be given. Over HTTP and not the socket, because the frame limit of 1 MiB would have to be twenty times as large for one, for
 * every client and before authentication. The caller is authorised.
 */
export async function handleUpload(request: IncomingMessage, uploads: UploadStore): Promise<Response> {
  const body = await readBody(request, MAX_UPLOAD_BYTES);
  if (body.type === "refused") return refused(`The file is larger than ${MAX_UPLOAD_BYTES / 1_000_000} MB.`, "file_too_large");
  if (body.bytes.length === 0) return refused("The file is empty.", "invalid_file");
  const { kind, mimeType } = await sniffMedia(body.bytes);
  const image = MODEL_IMAGES.has(mimeType) ? checkImage(body.bytes) : undefined;
  if (image?.type === "refused") return refused(`${image.message}.`, image.reason === "too-large" ? "image_too_large" : "invalid_image");
  return Response.json({ ref: await uploads.put(body.bytes), kind, mimeType: image?.mimeType ?? mimeType }, { status: 201 });
}

function refused(message: string, code: "file_too_large" | "image_too_large" | "invalid_file" | "invalid_image"): Response {
  const status = code.endsWith("too_large") ? 413 : 400;
  return Response.json(renderError(message, { type: "invalid_request_error", code }), { status });
}
