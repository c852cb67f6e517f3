import type { Clock } from "@factotum/agent-contract";
import { RpcError } from "@factotum/gateway";

/** An upload that has no next part for this long is forgotten. */
const KEPT_MS = 5 * 60_000;
/** At the same time, of 20 MB each. */
const MAX_UPLOADS = 4;

interface PendingUpload {
  readonly parts: Uint8Array[];
  receivedBytes: number;
  heardAtMs: number;
}

/** What one part belongs to. */
export interface UploadPart {
  /** Of all parts together. */
  readonly sizeBytes: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Puts parts of uploads together, in memory: a file is written only when it is whole. */
export class PendingUploads {
  readonly #uploads = new Map<string, PendingUpload>();
  readonly #clock: Pick<Clock, "now">;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Takes the next part; resolves the whole with the last one. Rejects with an `RpcError` for a part that does not follow. */
  add(id: string, { sizeBytes, offset, bytes }: UploadPart): { readonly receivedBytes: number; readonly whole?: Uint8Array } {
    const nowMs = this.#clock.now();
    for (const [one, { heardAtMs }] of this.#uploads) if (nowMs - heardAtMs > KEPT_MS) this.#uploads.delete(one);
    if (offset === 0) this.#uploads.delete(id);
    const upload = this.#uploads.get(id) ?? { parts: [], receivedBytes: 0, heardAtMs: nowMs };
    if (offset !== upload.receivedBytes) throw new RpcError("conflict", "This part does not follow what came before. Send the file again.");
    if (offset + bytes.length > sizeBytes || (bytes.length === 0 && sizeBytes > 0))
      throw new RpcError("invalid-request", "The parts do not add up to the size that was named.");
    if (!this.#uploads.has(id) && this.#uploads.size >= MAX_UPLOADS)
      throw new RpcError("unavailable", "Other files are being sent. Send this one when they have arrived.");
    upload.parts.push(bytes);
    upload.receivedBytes += bytes.length;
    upload.heardAtMs = nowMs;
    if (upload.receivedBytes < sizeBytes) {
      this.#uploads.set(id, upload);
      return { receivedBytes: upload.receivedBytes };
    }
    this.#uploads.delete(id);
    return { receivedBytes: upload.receivedBytes, whole: Buffer.concat(upload.parts) };
  }
}
