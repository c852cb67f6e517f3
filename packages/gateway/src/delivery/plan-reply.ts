import { withoutUndefined } from "@factotum/agent-contract";
import type { NewOutbound, StoredOutbound, TurnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { planChatMessage } from "./plan-message.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";
import type { PlannedMessage } from "./plan-message.ts";
import type { ReplyTarget } from "./reply-parser.ts";
import { replyToOf } from "./reply-to.ts";
import type { StreamedPreview, StreamedReply } from "./streaming/reply-stream.ts";

/** The final message of a turn. */
export interface FinalReply {
  readonly turn: TurnRecord;
  readonly text: string;
  /** A notice comes from the gateway, so no part of it was shown before. It replaces a preview that shows no part of an answer. */
  readonly purpose: "reply" | "notice";
  /** Checked with `knownTarget`. */
  readonly asked: ReplyTarget;
  /** Files follow it. */
  readonly hasFiles: boolean;
  /** Characters of the text that have outbox rows. */
  readonly covered: number;
  readonly streamed: StreamedReply | undefined;
}

interface PlanOptions {
  readonly nowMs: number;
  readonly suppressed: boolean;
}

/** Plans the rows of the final commit: the text that blocks have not covered; the first row replaces the preview, if there is one. */
export function planReply(
  reply: FinalReply,
  options: PlanOptions,
  { channels }: { readonly channels: ChannelRegistry },
): readonly NewOutbound[] {
  const { turn, purpose, covered } = reply;
  const isTaken = purpose === "reply" || (reply.streamed?.type === "preview" && reply.streamed.shown === 0);
  const streamed = isTaken ? reply.streamed : undefined;
  const hasBegun = reply.streamed?.type === "blocks" && reply.streamed.hasBegun;
  const mode = channels.accountFor(turn.origin)?.replyToMode;
  const message: PlannedMessage = {
    sessionKey: turn.sessionKey,
    target: turn.origin,
    text: reply.text,
    hasFiles: reply.hasFiles,
    from: covered,
    purpose,
    identity: ["turn", turn.id, purpose],
    ...options,
    replyTo: (part) =>
      replyToOf({
        turn,
        asked: reply.asked,
        mode,
        isFirstOfTurn: part === 0 && !hasBegun,
        isFirstOfAnswer: part === 0 && covered === 0,
      }),
    ...(streamed?.type === "blocks" ? { chunk: streamed.chunk, nextDueMs: streamed.nextDueMs } : {}),
  };
  const rows = planChatMessage(message, channels);
  if (streamed?.type !== "preview" || streamed.rowId === undefined) return rows;
  const { rowId } = streamed;
  return rows.map((row, index) =>
    index > 0 || row.outbound.type !== "text" ? row : { ...row, outbound: finalEdit(row.outbound, { ...streamed, rowId }) },
  );
}

function finalEdit(
  { text, replyTo }: Extract<StoredOutbound, { type: "text" }>,
  { rowId, shown, streamed }: StreamedPreview & { readonly rowId: string },
): StoredOutbound {
  // The last step of a stream can only add to it.
  const isContinued = streamed !== undefined && text.startsWith(streamed);
  return {
    type: "edit",
    of: rowId,
    shown: Math.min(shown, text.length),
    text,
    ...withoutUndefined({ replyTo, streamed: isContinued ? streamed.length : undefined }),
  };
}

/** Plans the removal of a preview whose answer is not delivered, if the chat supports it. */
export function planRemoval(
  turn: TurnRecord,
  streamed: StreamedReply | undefined,
  { nowMs }: PlanOptions,
  { channels }: { readonly channels: ChannelRegistry },
): readonly NewOutbound[] {
  if (streamed?.type !== "preview" || streamed.rowId === undefined) return [];
  if (channels.channelFor(turn.origin)?.capabilities.delete !== true) return [];
  return [
    {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      outbound: { type: "delete", of: streamed.rowId, text: "" },
      purpose: "preview",
      idempotencyKey: sendKey("turn", turn.id, "preview", "removal"),
      dueAtMs: nowMs,
      expiresAtMs: nowMs + OUTBOX_TTL_MS,
      state: "waiting",
    },
  ];
}
