import { ChannelError } from "@factotum/channel-contract";
import type { AccountChange, AttachmentRef, CallOptions, ChannelHost, Media, MediaKind } from "@factotum/channel-contract";
import * as z from "zod";
import { derivedId } from "./task-id.ts";

/** Bytes of all files of one message, and of one file of an answer: they are kept in the account's state, which is limited. */
export const MAX_FILE_BYTES: number = 2 * 1024 * 1024;
/** The gateway fetches a peer's files when the turn begins. */
const RECEIVED_MS = 3 * 60 * 60_000;
/** How long a peer can get a file of an answer. */
const SENT_MS = 24 * 60 * 60_000;

/** A file of a peer's message: its bytes, or where it is. */
export interface PeerFile {
  readonly content: { readonly type: "bytes"; readonly bytes: Uint8Array } | { readonly type: "url"; readonly url: string };
  readonly fileName?: string;
  readonly mimeType?: string;
}

const UrlSchema = z.strictObject({ url: z.string() });

/** The files of tasks, in the account's state. Each peer has rows of its own. */
export class TaskFiles {
  readonly #host: Pick<ChannelHost, "state" | "clock" | "fetchPublic">;

  constructor(host: Pick<ChannelHost, "state" | "clock" | "fetchPublic">) {
    this.#host = host;
  }

  /** The changes of the state by which the files of a message are kept, and the references to them. An address may hold a secret of the peer. */
  receiving(
    files: readonly PeerFile[],
    { peer, taskId }: { readonly peer: string; readonly taskId: string },
  ): { readonly changes: readonly AccountChange[]; readonly attachments: readonly AttachmentRef[] } {
    const expiresAtMs = this.#host.clock.now() + RECEIVED_MS;
    const kept = files.map(({ content, fileName, mimeType }, index) => {
      const key = `file/${peer}/in/${derivedId(taskId, String(index))}`;
      const change: AccountChange =
        content.type === "bytes"
          ? { type: "set", key, value: content, expiresAtMs }
          : { type: "set", key, value: { type: "json", json: { url: content.url } }, isSecret: true, expiresAtMs };
      const attachment: AttachmentRef = {
        kind: kindOf(mimeType),
        ref: key,
        ...(mimeType !== undefined && { mimeType }),
        ...(fileName !== undefined && { fileName }),
        ...(content.type === "bytes" && { sizeBytes: content.bytes.length }),
      };
      return { change, attachment };
    });
    return { changes: kept.map(({ change }) => change), attachments: kept.map(({ attachment }) => attachment) };
  }

  /** A file of a peer's message. Rejects with a ChannelError. */
  async fetch(
    { ref, kind, mimeType = "application/octet-stream", fileName }: AttachmentRef,
    { maxBytes, signal }: CallOptions & { readonly maxBytes: number },
  ): Promise<Media> {
    const value = await this.#host.state.get(ref);
    if (value === undefined) throw new ChannelError("not-found", "the file is no longer kept", { retry: { type: "never" } });
    const bytes =
      value.type === "bytes" ? value.bytes : await this.#host.fetchPublic(UrlSchema.parse(value.json).url, { maxBytes, signal });
    if (bytes.length > maxBytes)
      throw new ChannelError("too-long", `the file has more than ${maxBytes} bytes`, { retry: { type: "never" } });
    return { kind, mimeType, bytes, ...(fileName !== undefined && { fileName }) };
  }

  /** Keeps a file of an answer. Rejects with a RangeError if the state is full. */
  async put(peer: string, textId: string, bytes: Uint8Array): Promise<void> {
    await this.#host.state.set(sentKey(peer, textId), { type: "bytes", bytes }, { expiresAtMs: this.#host.clock.now() + SENT_MS });
  }

  /** The bytes of a file of an answer; `undefined` once they are no longer kept. */
  async get(peer: string, textId: string): Promise<Uint8Array | undefined> {
    const value = await this.#host.state.get(sentKey(peer, textId));
    return value?.type === "bytes" ? value.bytes : undefined;
  }
}

function sentKey(peer: string, textId: string): string {
  return `file/${peer}/out/${textId}`;
}

function kindOf(mimeType: string | undefined): MediaKind {
  const [type = ""] = (mimeType ?? "").toLowerCase().split("/");
  return type === "image" || type === "audio" || type === "video" ? type : "file";
}
