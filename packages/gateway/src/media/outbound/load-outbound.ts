import type { RunFacts } from "@factotum/agent-contract";
import type { ChannelCapabilities, MediaKind } from "@factotum/channel-contract";
import { sniffMedia } from "@factotum/channel-kit";
import { mediaName } from "../media-words.ts";
import type { LocalFiles } from "../local-files.ts";
import type { RemoteFiles } from "../remote-files.ts";
import { parseMediaTarget } from "../../kernel/parse-media-target.ts";

/** A file named by an answer. */
export type OutboundFile =
  | { readonly type: "file"; readonly bytes: Uint8Array; readonly kind: MediaKind; readonly mimeType: string; readonly fileName: string }
  /** The chat does not support the file: its name is sent instead. */
  | { readonly type: "words"; readonly fileName: string }
  /** It may not be sent, or does not exist: the model gets the reason. */
  | { readonly type: "refused"; readonly fileName: string; readonly why: string };

/** What a file is loaded with. */
export interface LoadOutboundOptions {
  readonly files: LocalFiles;
  readonly remote: RemoteFiles;
  readonly run: RunFacts;
  /** Whether the run may request web files. */
  readonly mayFetch: boolean;
  /** What the chat can show. */
  readonly media: ChannelCapabilities["media"];
  readonly signal: AbortSignal;
}

const MAX_NAME_CHARS = 200;

const WHY = {
  "not-found": "there is no such file in the workspace",
  "not-allowed": "it is not a file in the workspace",
  "too-large": "it is too large for this chat",
  secret: "it holds a key or a token, which is never sent",
} as const;

const WHY_NO_WEB = "addresses of the web are asked for in the owner's turns alone, and not when they hold words or files of somebody else";

/** Loads the target of a `MEDIA:` line or the `message` tool, with the chat's size limit. Never rejects for a missing file. */
export async function loadOutbound(named: string, options: LoadOutboundOptions): Promise<OutboundFile> {
  const { media, run, files, remote, mayFetch, signal } = options;
  const fileName = safeName(mediaName(named));
  const target = parseMediaTarget(named);
  if (target.type === "refused") return { type: "refused", fileName, why: target.why };
  if (target.type === "url" && !mayFetch) return { type: "refused", fileName, why: WHY_NO_WEB };
  if (media.length === 0) return { type: "words", fileName };
  const maxBytes = Math.max(...media.map((one) => one.maxBytes));
  if (target.type === "url") {
    const file = await remote.fetch(target.url, { maxBytes, signal });
    if (file.type === "refused") return { type: "refused", fileName, why: file.message };
    return fit(file.bytes, safeName(mediaName(file.url)), media);
  }
  const file = await files.read(target.path, { run, maxBytes, isInWorkspace: true });
  if (file.type === "refused") return { type: "refused", fileName, why: WHY[file.reason] };
  return fit(file.bytes, fileName, media);
}

/** By its type, or as a plain file if the chat does not support the type or the size. */
async function fit(bytes: Uint8Array, fileName: string, media: ChannelCapabilities["media"]): Promise<OutboundFile> {
  if (bytes.length === 0) return { type: "refused", fileName, why: "it is empty" };
  const sniffed = await sniffMedia(bytes);
  const takes = (kind: MediaKind): boolean => media.some((one) => one.kind === kind && bytes.length <= one.maxBytes);
  const kind = takes(sniffed.kind) ? sniffed.kind : takes("file") ? "file" : undefined;
  if (kind === undefined) return { type: "words", fileName };
  return { type: "file", bytes, kind, mimeType: sniffed.mimeType, fileName };
}

/** A name without a path and without characters that could disguise it. */
function safeName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, "").trim();
  return plain === "" ? "file" : Array.from(plain).slice(0, MAX_NAME_CHARS).join("");
}
