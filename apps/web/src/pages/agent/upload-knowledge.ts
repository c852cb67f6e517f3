import { MAX_KNOWLEDGE_FILE_BYTES, MAX_UPLOAD_PART_BYTES, type KnowledgeFile } from "@factotum/protocol";
import { randomId } from "../../app/random-id.ts";
import type { GatewayClient } from "../../gateway-client/gateway-client.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { t } from "../../i18n/t.ts";

/** What became of a file that was to be sent. */
export type KnowledgeUpload =
  | { readonly type: "added"; readonly file: KnowledgeFile }
  | { readonly type: "refused"; readonly message: string };

/** Sends a file into the knowledge of an agent, in parts. `onProgress` gets the part that has arrived, from 0 to 1. Never rejects. */
export async function uploadKnowledge(
  file: File,
  {
    client,
    agentId,
    onProgress,
  }: { readonly client: Pick<GatewayClient, "request">; readonly agentId: string; readonly onProgress: (share: number) => void },
): Promise<KnowledgeUpload> {
  if (file.size > MAX_KNOWLEDGE_FILE_BYTES)
    return { type: "refused", message: t("It is larger than {size} MB.", { size: MAX_KNOWLEDGE_FILE_BYTES / 1_000_000 }) };
  try {
    return { type: "added", file: await send(file, { client, agentId, onProgress }) };
  } catch (error) {
    if (error instanceof RpcError) return { type: "refused", message: error.message };
    // The browser cannot read it: it was moved, or is a folder.
    if (error instanceof DOMException) return { type: "refused", message: t("It cannot be read. Choose it again; a folder is not taken.") };
    throw error;
  }
}

async function send(
  file: File,
  {
    client,
    agentId,
    onProgress,
  }: { readonly client: Pick<GatewayClient, "request">; readonly agentId: string; readonly onProgress: (share: number) => void },
): Promise<KnowledgeFile> {
  const common = { agentId, name: file.name, uploadId: randomId(), sizeBytes: file.size };
  for (let offset = 0; ; offset += MAX_UPLOAD_PART_BYTES) {
    const data = toBase64(new Uint8Array(await file.slice(offset, offset + MAX_UPLOAD_PART_BYTES).arrayBuffer()));
    const { added, receivedBytes } = await client.request("files.add", { ...common, offset, data });
    onProgress(file.size === 0 ? 1 : receivedBytes / file.size);
    if (added !== undefined) return added;
  }
}

/** Characters that one call of `fromCharCode` takes. */
const STEP = 8192;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}
