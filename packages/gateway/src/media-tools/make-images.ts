import { ModelError, NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ImageOrder, MadeFile, MediaCallOptions, MediaOutcome } from "@factotum/agent-contract";
import { generateImages } from "@factotum/models";
import type { GeneratedImages, ImageRequest, MediaConnection } from "@factotum/models";
import type { RunningConfig } from "../agents/running-config.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { checkImage } from "../media/check-image.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { unfitText } from "./look-at-images.ts";

/** The dependencies of making images. */
export interface MakeParts {
  readonly running: RunningConfig;
  readonly media: Pick<MediaStage, "fitImages">;
  readonly spend: Pick<SpendGuard, "reserve">;
  readonly clock: Clock;
}

/** Of one request. */
const TIMEOUT_MS = 180_000;
/** Assumed for one image until the provider has counted. */
const RESERVED_TOKENS = 4_000;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Makes images with the model of `models.imageGeneration`, in as many requests as it needs, each charged to the run. Rejects when the signal fires. */
export async function makeImages(
  { prompt, count, size, inputs }: ImageOrder,
  { run, signal, parts }: MediaCallOptions & { readonly parts: MakeParts },
): Promise<MediaOutcome<{ readonly files: readonly MadeFile[]; readonly problem?: string }>> {
  const reference = parts.running.config.models.imageGeneration;
  if (reference === undefined)
    return failed("No model makes images. The owner has to name one: factotum config set models.imageGeneration PROVIDER/MODEL");
  // Without what cameras write into files, such as the place.
  const fitted = await parts.media.fitImages(inputs, { model: undefined, fallbacks: [] }, { signal });
  signal.throwIfAborted();
  if (fitted.omitted.length > 0) return failed(unfitText(inputs.length, fitted.omitted));
  const given = fitted.images.map(({ data, mimeType }) => ({ bytes: Buffer.from(data, "base64"), mimeType }));
  const files: MadeFile[] = [];
  try {
    const connection = await parts.running.models.mediaConnection(reference);
    while (files.length < count) {
      const request = { prompt, count: count - files.length, inputs: given, ...withoutUndefined({ size }) };
      const { images } = await charge(connection, request, { run, signal, parts });
      files.push(...images.slice(0, request.count).map(toFile));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!ModelError.isInstance(error)) throw error;
    const message = error.code === "filtered" ? `${error.message} Describe it differently.` : error.message;
    return files.length === 0 ? failed(message) : { type: "done", result: { files, problem: message } };
  }
  return { type: "done", result: { files } };
}

/** One request, charged before it is sent. */
async function charge(
  connection: MediaConnection,
  request: ImageRequest,
  { run, signal: outer, parts: { spend, clock } }: MediaCallOptions & { readonly parts: MakeParts },
): Promise<GeneratedImages> {
  const reservation = await spend.reserve({ agentId: run.agentId, kind: run.kind }, RESERVED_TOKENS * request.count);
  if (reservation.type === "refused") throw new ModelError("budget", reservation.message, { retry: { type: "never" } });
  const limit = new AbortController();
  const tooSlow = `${connection.provider}/${connection.model} took longer than ${TIMEOUT_MS / 1000} s; ask for a simpler image, or try again later.`;
  using _timer = clock.schedule(TIMEOUT_MS, () => limit.abort(new ModelError("timeout", tooSlow, { retry: { type: "never" } })));
  const signal = AbortSignal.any([outer, limit.signal]);
  let usage = NO_USAGE;
  try {
    const made = await raceAbort(generateImages(connection, request, { signal }), { signal, clock });
    ({ usage } = made);
    return made;
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    reservation.settle(usage);
  }
}

/** Throws a `ModelError` for bytes that are no image. */
function toFile(bytes: Uint8Array): MadeFile {
  const checked = checkImage(bytes);
  if (checked.type === "refused")
    throw new ModelError("truncated", `The model sent no usable image: ${checked.message}.`, { retry: { type: "never" } });
  return { bytes, mimeType: checked.mimeType, extension: EXTENSIONS[checked.mimeType] ?? "png" };
}

function failed(message: string): { readonly type: "failed"; readonly message: string } {
  return { type: "failed", message };
}
