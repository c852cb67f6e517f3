import { createHash } from "node:crypto";
import { constants, open, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random } from "@factotum/agent-contract";
import type { MediaKind } from "@factotum/channel-contract";
import { writePrivateFile } from "@factotum/config";
import * as z from "zod";
import { createSteadyNow } from "../../kernel/steady-now.ts";
import { outboundFolder } from "../outbound/outbound-files.ts";
import { pruneMedia } from "./prune-media.ts";
import { isMissing } from "./is-missing.ts";
import { uploadsFolder } from "./upload-store.ts";

/** One received file. */
export interface StoredMedia {
  readonly id: string;
  /** The conversation it was sent to. */
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly kind: MediaKind;
  /** Detected from the bytes. */
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly receivedAtMs: number;
  /** True if anyone but the owner sent it. */
  readonly untrusted: boolean;
  /** The platform's name; never part of a path. */
  readonly fileName?: string;
  /** The path for tools of the same conversation. Absolute. */
  readonly path: string;
}

export interface MediaStoreOptions {
  /** The state directory. */
  readonly home: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum total size. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Maximum age. Default 14 days. */
  readonly maxAgeMs?: number;
}

const PREFIX = "media://inbound/";
const ID = /^[0-9a-f]{32}$/;
const DAY_MS = 24 * 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60 * 60 * 1000;

const RecordSchema = z.lazy(() =>
  z.strictObject({
    sessionKey: z.string(),
    kind: z.enum(["image", "audio", "video", "file"]),
    mimeType: z.string(),
    extension: z.string().regex(/^[a-z0-9]{1,12}$/),
    sizeBytes: z.number().int().nonnegative(),
    receivedAtMs: z.number(),
    untrusted: z.boolean(),
    fileName: z.string().optional(),
  }),
);

/** The address of a received file, as shown to the model. */
export function mediaReference(id: string): string {
  return PREFIX + id;
}

/** The id in an address; `undefined` for anything else. */
export function parseMediaReference(text: string): string | undefined {
  const id = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : "";
  return ID.test(id) ? id : undefined;
}

/** The folder of one conversation's files, which its tools may read in addition to the workspace (R21). Contains files only, no records. */
export function inboundMediaFolder(home: string, sessionId: string): string {
  return path.join(home, "media", "inbound", folderName(sessionId));
}

/**
 * Received files: `media/inbound/<session>/<id>.<extension>`, private, one folder per conversation; their records are in `media/records`. A file counts once
 * its record exists. Old and surplus files are pruned from time to time, oldest first.
 */
export class MediaStore {
  readonly #options: MediaStoreOptions;
  readonly #steadyNow: () => number;
  #prunedAtMs = Number.NEGATIVE_INFINITY;
  #writtenBytes = 0;

  constructor(options: MediaStoreOptions) {
    this.#options = options;
    this.#steadyNow = createSteadyNow(options.clock);
  }

  /** The folder of a conversation's files. */
  folder(sessionId: string): string {
    return inboundMediaFolder(this.#options.home, sessionId);
  }

  /** Stores a file under a new unguessable id. Rejects if the disk fails. */
  async put(
    bytes: Uint8Array,
    facts: Omit<StoredMedia, "id" | "sizeBytes" | "receivedAtMs" | "path"> & { readonly extension: string },
  ): Promise<StoredMedia> {
    const { home, clock, random } = this.#options;
    const { sessionId, ...known } = facts;
    const id = Buffer.from(random.bytes(16)).toString("hex");
    const record = RecordSchema.parse({ ...known, sizeBytes: bytes.length, receivedAtMs: clock.now() });
    const file = path.join(inboundMediaFolder(home, sessionId), `${id}.${record.extension}`);
    await writePrivateFile(file, bytes);
    await writePrivateFile(this.#recordPath(sessionId, id), `${JSON.stringify(record)}\n`);
    this.#writtenBytes += bytes.length;
    return toStored(record, { id, sessionId, path: file });
  }

  /** A file of this conversation; files of others are not found. */
  async find(sessionId: string, id: string): Promise<StoredMedia | undefined> {
    if (!ID.test(id)) return undefined;
    try {
      const record = RecordSchema.parse(JSON.parse(await readFile(this.#recordPath(sessionId, id), "utf8")));
      const file = path.join(inboundMediaFolder(this.#options.home, sessionId), `${id}.${record.extension}`);
      await stat(file);
      return toStored(record, { id, sessionId, path: file });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The file's bytes. Rejects if it is gone or was replaced. */
  async read(media: StoredMedia): Promise<Uint8Array> {
    const handle = await open(media.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size !== media.sizeBytes) throw new Error(`${mediaReference(media.id)} is not as it was received`);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /** Deletes everything of a conversation. */
  async removeSession(sessionId: string): Promise<void> {
    await rm(inboundMediaFolder(this.#options.home, sessionId), { recursive: true, force: true });
    await rm(path.dirname(this.#recordPath(sessionId, "")), { recursive: true, force: true });
  }

  /** Prunes files over the limits, if it is due: once an hour, or after many files. One call at a time. */
  async pruneIfDue(): Promise<void> {
    const { home, clock, maxBytes = 1024 ** 3, maxAgeMs = 14 * DAY_MS } = this.#options;
    if (clock.monotonic() - this.#prunedAtMs < PRUNE_EVERY_MS && this.#writtenBytes < maxBytes / 16) return;
    this.#prunedAtMs = clock.monotonic();
    this.#writtenBytes = 0;
    const limits = { nowMs: this.#steadyNow(), maxBytes, maxAgeMs };
    const folder = (name: string): string => path.join(home, "media", name);
    await pruneMedia({ filesFolder: folder("inbound"), recordsFolder: folder("records"), ...limits });
    // An upload's only record is its message.
    await pruneMedia({ filesFolder: uploadsFolder(home), recordsFolder: folder("upload-records"), ...limits });
    await pruneMedia({ filesFolder: outboundFolder(home), recordsFolder: folder("outbound-records"), ...limits });
  }

  #recordPath(sessionId: string, id: string): string {
    return path.join(this.#options.home, "media", "records", folderName(sessionId), `${id}.json`);
  }
}

/** A session id is a UUID; an imported one can be any text, and never becomes a path. */
function folderName(sessionId: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(sessionId) ? sessionId : createHash("sha256").update(sessionId).digest("hex");
}

function toStored(
  record: z.infer<typeof RecordSchema>,
  place: { readonly id: string; readonly sessionId: string; readonly path: string },
): StoredMedia {
  const { extension: _extension, fileName, ...facts } = record;
  return { ...facts, ...place, ...withoutUndefined({ fileName }) };
}
