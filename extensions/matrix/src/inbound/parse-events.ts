import { messageId } from "@factotum/channel-contract";
import type { InboundEvent, MsgContext } from "@factotum/channel-contract";
import { textIn } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";
import { senderOf } from "./parse-message.ts";
import type { ParseContext } from "./parse-message.ts";

/** An event other than a message; `by`: who caused it, if that is not its sender. */
export function eventOf(
  event: MatrixEvent,
  { accountId, conversation, nameOf }: ParseContext,
  { happened, targetId, by }: { readonly happened: InboundEvent; readonly targetId: string; readonly by?: string | undefined },
): MsgContext {
  return {
    origin: { channel: "matrix", accountId, conversation },
    eventId: event.event_id,
    messageId: messageId(targetId),
    timestampMs: event.origin_server_ts,
    event: happened,
    sender: senderOf(by ?? event.sender, nameOf),
    text: "",
    mentionsBot: false,
    attachments: [],
  };
}

/** What happened to a member. */
export interface MemberChange {
  readonly change: "joined" | "left";
  readonly userId: string;
  readonly name?: string;
  /** Who caused it: the person who invited, the member itself, or who removed it. */
  readonly by: string;
}

/** The change of a membership; `undefined` if no one joined or left, as with a new name or an invitation. */
export function memberChangeOf({ sender, state_key: userId, content, unsigned = {} }: MatrixEvent): MemberChange | undefined {
  if (userId === undefined) return undefined;
  const previous = unsigned["prev_content"];
  const before = typeof previous === "object" && previous !== null ? textIn(previous as Record<string, unknown>, "membership") : "";
  const after = textIn(content, "membership");
  const name = textIn(content, "displayname").slice(0, 200).toWellFormed();
  const named = name === "" ? {} : { name };
  if (after === "join" && before !== "join") {
    const inviter = before === "invite" ? unsigned["prev_sender"] : undefined;
    return { change: "joined", userId, ...named, by: typeof inviter === "string" ? inviter : sender };
  }
  if ((after === "leave" || after === "ban") && before !== "invite" && before !== "knock" && before !== "leave" && before !== "ban")
    return { change: "left", userId, ...named, by: sender };
  return undefined;
}
