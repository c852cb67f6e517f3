import { messageId } from "@factotum/channel-contract";
import type { CallOptions, Origin, Outbound, Reconciliation } from "@factotum/channel-contract";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { readMessages } from "../context/read-messages.ts";
import { METADATA_TYPE, metadataKey } from "./message-api.ts";
import type { MessageApi } from "./message-api.ts";

/** How far the clocks of this machine and of the platform may differ. */
const SKEW_MS = 60_000;
/** Messages that are looked through. */
const LIMIT = 200;

const MetadataSchema = z.looseObject({ event_type: z.literal(METADATA_TYPE), event_payload: z.looseObject({ key: z.string() }) });

/** Looks for a text or card by the key in its metadata. Files and ephemeral messages have none. Never rejects. */
export async function reconcile(
  { api, messages }: { readonly api: SlackApi; readonly messages: MessageApi },
  input: { readonly target: Origin; readonly outbound: Outbound; readonly idempotencyKey: string; readonly sentAtMs: number },
  options: CallOptions,
): Promise<Reconciliation> {
  const { target, outbound, idempotencyKey, sentAtMs } = input;
  if ((outbound.type !== "text" && outbound.type !== "card") || outbound.onlyFor !== undefined) return { type: "unknown" };
  try {
    const channel = await messages.channelOf(target.conversation.id, options);
    const after = ((sentAtMs - SKEW_MS) / 1_000).toFixed(6);
    const found = await readMessages(api, { channel, threadTs: target.conversation.threadId, limit: LIMIT, after }, options);
    const key = metadataKey(idempotencyKey);
    const shown = found.filter(({ metadata }) => MetadataSchema.safeParse(metadata).data?.event_payload.key === key);
    if (shown.length > 0) return { type: "shown", messageIds: shown.map(({ ts }) => messageId(ts)) };
    return found.length < LIMIT ? { type: "not-shown" } : { type: "unknown" };
  } catch {
    // The platform does not say; the gateway decides by its rule for ambiguous sends.
    return { type: "unknown" };
  }
}
