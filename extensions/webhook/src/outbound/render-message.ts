import { createHash } from "node:crypto";
import type { Media, Origin, Outbound } from "@factotum/channel-contract";
import type { ServiceFile, ServiceMessage } from "../api/service-api.ts";
import { WEBHOOK_CAPABILITIES } from "../capabilities.ts";

/** A text or file as the service gets it. */
export function renderMessage(
  { kind, id, threadId }: Origin["conversation"],
  outbound: Extract<Outbound, { type: "text" | "media" }>,
): ServiceMessage {
  const { replyTo } = outbound;
  return {
    conversation: { kind, id, ...(threadId !== undefined && { thread: threadId }) },
    text: outbound.type === "text" ? outbound.text : "",
    ...(replyTo !== undefined && { replyTo }),
    ...(outbound.type === "media" && { attachments: [renderFile(outbound.media)] }),
  };
}

/** The header `webhook-id` of a logical send: the gateway's own key if it is short enough, otherwise its hash. */
export function renderKey(idempotencyKey: string): string {
  const maxLength = WEBHOOK_CAPABILITIES.idempotentSend?.maxKeyLength ?? 0;
  const isHeader = /^[\x21-\x7e]+$/.test(idempotencyKey);
  if (isHeader && idempotencyKey.length <= maxLength) return idempotencyKey;
  return createHash("sha256").update(idempotencyKey).digest("hex").slice(0, maxLength);
}

function renderFile({ kind, mimeType, fileName, bytes, voice }: Media): ServiceFile {
  return {
    kind,
    mimeType,
    ...(fileName !== undefined && { name: fileName }),
    ...(voice === true && { voice }),
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  };
}
