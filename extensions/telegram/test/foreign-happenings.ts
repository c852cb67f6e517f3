import { messageId } from "@factotum/channel-contract";
import type { ConformancePlatform, TestEvent, TestHappening, TestHappeningEvent } from "@factotum/channel-conformance";
import { BOB } from "./mention-entities.ts";

/** The bot of the server. */
export const BOT = 666;

/** An update as the platform posts it. */
export type Update = Readonly<Record<string, unknown>> & { readonly update_id: number };

/** An event other than a message. */
export function foreignHappening(
  platform: Pick<ConformancePlatform, "event" | "target"> & { nextId(): number },
  what: TestHappening,
): TestHappeningEvent {
  const before = platform.event({ text: "before", conversation: "group", sender: "person" });
  const { message } = before.raw as { readonly message: Readonly<Record<string, unknown>> };
  const at = { conversation: platform.target("group"), messageId: before.expected.messageId };
  const targetId = messageId(at.messageId);
  const member = { id: String(BOB), name: "Bob", isSelf: false };
  const bob = { id: BOB, is_bot: false, first_name: "Bob" };
  const make = (body: Readonly<Record<string, unknown>>, expected: Partial<TestEvent["expected"]> = {}): TestEvent => {
    const update = { update_id: platform.nextId(), ...body };
    return { raw: update, expected: { ...before.expected, ...at, eventId: String(update.update_id), ...expected } };
  };
  const { chat, from } = message;
  switch (what) {
    case "edit":
      return {
        before,
        event: make({ edited_message: { ...message, text: "after", edit_date: 1_700_000_000 } }),
        expected: { type: "edit", targetId },
        text: "after",
      };
    case "joined":
      return {
        before,
        event: make({ message: { ...message, text: undefined, new_chat_members: [bob] } }),
        expected: { type: "member", change: "joined", member },
      };
    case "left":
      return {
        before,
        event: make({ message: { ...message, text: undefined, left_chat_member: bob } }),
        expected: { type: "member", change: "left", member },
      };
    case "bot-joined": {
      const user = { id: BOT, is_bot: true, first_name: "Test First name" };
      const event = make({
        my_chat_member: {
          chat,
          from,
          date: 1_700_000_000,
          old_chat_member: { status: "left", user },
          new_chat_member: { status: "member", user },
        },
      });
      const id = String((event.raw as Update).update_id);
      return {
        before,
        event: { ...event, expected: { ...event.expected, messageId: id } },
        expected: { type: "member", change: "joined", member: { id: String(BOT), name: "Test First name", isSelf: true } },
      };
    }
    case "reaction":
    case "reaction-taken-back": {
      const removed = what === "reaction-taken-back";
      const emoji = [{ type: "emoji", emoji: "👍" }];
      const change = { old_reaction: removed ? emoji : [], new_reaction: removed ? [] : emoji };
      return {
        before,
        event: make({ message_reaction: { chat, user: from, message_id: Number(at.messageId), date: 1_700_000_000, ...change } }),
        expected: { type: "reaction", targetId, emoji: "👍", removed },
      };
    }
    default:
      throw new Error(`that server has no ${what}`);
  }
}
