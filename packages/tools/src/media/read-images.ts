import type { RunFacts } from "@factotum/agent-contract";
import type { RunFiles } from "../file-access/create-file-access.ts";
import { fetchPublicFile } from "../public-fetch/fetch-public-file.ts";
import { NO_PRIVATE_PLACES, parsePrivatePlaces } from "../public-fetch/private-places.ts";
import type { WebAccess } from "../web/web-access.ts";

/** The bytes of images, or why one of them could not be read. */
export type ReadImages =
  | {
      readonly type: "read";
      readonly images: readonly Uint8Array[];
      /** One of them comes from somebody else (R23). */
      readonly untrusted: boolean;
    }
  | { readonly type: "failed"; readonly message: string };

/** Of all images of one call, as they are stored: they are in memory together. */
const MAX_TOTAL_BYTES = 60_000_000;
const MAX_BYTES = 20_000_000;

/** The same test as the gate's, which asks about every address. */
const ADDRESS = /^\s*https?:/i;

/** Reads images by their paths, and by their addresses where `web` is given. Rejects with a FileAccessError for a path that may not be read. */
export async function readImages(
  named: readonly string[],
  options: {
    readonly access: RunFiles;
    readonly web?: Pick<WebAccess, "request" | "fetch">;
    readonly run: RunFacts;
    readonly signal: AbortSignal;
  },
): Promise<ReadImages> {
  const images: Uint8Array[] = [];
  let [untrusted, totalBytes] = [false, 0];
  for (const name of named) {
    options.signal.throwIfAborted();
    const read = ADDRESS.test(name) ? await fetchImage(name.trim(), options) : await readFile(name, options.access);
    if (read.type === "failed") return read;
    totalBytes += read.bytes.length;
    if (totalBytes > MAX_TOTAL_BYTES)
      return { type: "failed", message: `The images have more than ${MAX_TOTAL_BYTES / 1_000_000} MB together; take fewer at once.` };
    images.push(read.bytes);
    untrusted ||= read.untrusted;
  }
  return { type: "read", images, untrusted };
}

type ReadImage =
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly untrusted: boolean }
  | Extract<ReadImages, { type: "failed" }>;

async function readFile(path: string, access: RunFiles): Promise<ReadImage> {
  await using file = await access.openFile(path);
  if (file.sizeBytes > MAX_BYTES) return { type: "failed", message: `${file.shown} is larger than ${MAX_BYTES / 1_000_000} MB.` };
  const bytes = new Uint8Array(file.sizeBytes);
  const { bytesRead } = await file.handle.read(bytes, 0, file.sizeBytes, 0);
  return { type: "read", bytes: bytes.subarray(0, bytesRead), untrusted: file.untrusted };
}

async function fetchImage(
  url: string,
  { web, run, signal }: { readonly web?: Pick<WebAccess, "request" | "fetch">; readonly run: RunFacts; readonly signal: AbortSignal },
): Promise<ReadImage> {
  if (web === undefined) return { type: "failed", message: `${url} is an address; give paths of files.` };
  const allowsPrivate = run.owner ? parsePrivatePlaces(web.fetch.allowPrivate) : NO_PRIVATE_PLACES;
  const file = await fetchPublicFile(web.request, url, { maxBytes: MAX_BYTES, signal, allowsPrivate });
  if (file.type === "refused") return { type: "failed", message: `${url} was not fetched: ${file.message}.` };
  return { type: "read", bytes: file.bytes, untrusted: true };
}
