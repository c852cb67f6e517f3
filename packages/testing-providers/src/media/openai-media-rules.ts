import type { MediaReply, MediaRequest } from "./media-request.ts";

/** The fields that the vendor requires, by path. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "/audio/transcriptions": ["model"],
  "/audio/speech": ["model", "input", "voice"],
  "/embeddings": ["model", "input"],
  "/images/generations": ["model", "prompt"],
  "/images/edits": ["model", "prompt"],
};

/** Every field that an image request may have. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(
  "model prompt n size quality background output_format output_compression moderation user style response_format input_fidelity".split(" "),
);

/** What an edit takes as its images. */
const EDITED_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/webp"];
const MAX_EDITED = 16;

/** The vendor's refusal of a request, or `undefined` for a good one. */
export function checkOpenAiMedia(request: MediaRequest, key: string): MediaReply | undefined {
  const { path, authorization, fields, files } = request;
  const required = REQUIRED[path];
  if (required === undefined) return openAiRefusal(404, `Unknown request URL: POST ${path}.`);
  if (authorization !== `Bearer ${key}`) return openAiRefusal(401, "Incorrect API key provided.");
  const missing = required.find((name) => fields[name] === undefined || fields[name] === "");
  if (missing !== undefined) return openAiRefusal(400, `Missing required parameter: '${missing}'.`);
  if (path === "/audio/transcriptions" && files.length !== 1) return openAiRefusal(400, "Missing required parameter: 'file'.");
  return path.startsWith("/images/") ? checkImages(request) : undefined;
}

function checkImages({ path, fields, files }: MediaRequest): MediaReply | undefined {
  const unknown = Object.keys(fields).find((name) => !IMAGE_FIELDS.has(name));
  if (unknown !== undefined) return openAiRefusal(400, `Unknown parameter: '${unknown}'.`);
  const model = String(fields["model"]);
  if (model.startsWith("gpt-image-") && fields["response_format"] !== undefined)
    return openAiRefusal(400, "Unknown parameter: 'response_format'.");
  const count = Number(fields["n"] ?? 1);
  const most = model === "dall-e-3" ? 1 : 10;
  if (!Number.isInteger(count) || count < 1 || count > most)
    return openAiRefusal(400, `Invalid 'n': expected an integer from 1 to ${most}.`);
  const { size } = fields;
  if (size !== undefined && (typeof size !== "string" || !/^(?:auto|\d+x\d+)$/.test(size)))
    return openAiRefusal(400, "Invalid value for 'size'.");
  if (path === "/images/generations") return files.length === 0 ? undefined : openAiRefusal(400, "This endpoint takes JSON.");
  if (files.length === 0) return openAiRefusal(400, "Missing required parameter: 'image'.");
  const wanted = files.length === 1 ? "image" : "image[]";
  if (files.length > MAX_EDITED || files.some(({ field }) => field !== wanted))
    return openAiRefusal(400, `Invalid images: at most ${MAX_EDITED} in '${wanted}'.`);
  const wrong = files.find(({ mimeType }) => !EDITED_TYPES.includes(mimeType));
  return wrong === undefined ? undefined : openAiRefusal(400, `Invalid file 'image': unsupported mimetype ('${wrong.mimeType}').`);
}

/** An error body of the vendor. */
export function openAiRefusal(status: number, message: string): MediaReply {
  return { type: "json", status, body: { error: { message, type: "invalid_request_error", param: null, code: null } } };
}
