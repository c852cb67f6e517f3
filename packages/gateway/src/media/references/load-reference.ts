import type { Logger, RunFacts } from "@factotum/agent-contract";
import { FETCH_MAX_BYTES } from "../media-limits.ts";
import type { LocalFiles } from "../local-files.ts";
import { mediaReference, type MediaStore } from "../store/media-store.ts";
import type { ImageReference } from "./parse-references.ts";

/** The target of a reference. */
export type LoadedReference =
  | { readonly type: "loaded"; readonly bytes: Uint8Array; readonly shown: string; readonly untrusted: boolean }
  | { readonly type: "refused"; readonly reason: "not-found" | "not-allowed" | "too-large" | "unavailable"; readonly shown: string };

interface LoadOptions {
  readonly files: LocalFiles;
  readonly store: MediaStore;
  readonly run: RunFacts;
  readonly logger: Logger;
}

/** Reads a file that the owner named, if the run's tools could read it too. Never rejects. */
export async function loadReference(reference: ImageReference, options: LoadOptions): Promise<LoadedReference> {
  try {
    return await load(reference, options);
  } catch (error) {
    options.logger.warn("An image that the owner named could not be read", { sessionKey: options.run.sessionKey, error });
    return { type: "refused", reason: "unavailable", shown: reference.type === "path" ? reference.path : mediaReference(reference.id) };
  }
}

async function load(reference: ImageReference, { files, store, run }: LoadOptions): Promise<LoadedReference> {
  if (reference.type === "path") {
    const file = await files.read(reference.path, { run, maxBytes: FETCH_MAX_BYTES.image });
    if (file.type === "file") return { ...file, type: "loaded" };
    return { ...file, reason: file.reason === "secret" ? "not-allowed" : file.reason };
  }
  const shown = mediaReference(reference.id);
  const media = await store.find(run.sessionId, reference.id);
  if (media === undefined) return { type: "refused", reason: "not-found", shown };
  if (media.sizeBytes > FETCH_MAX_BYTES.image) return { type: "refused", reason: "too-large", shown };
  return { type: "loaded", bytes: await store.read(media), shown, untrusted: media.untrusted };
}
