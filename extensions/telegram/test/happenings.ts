import { messageId } from "@factotum/channel-contract";
import type { InboundEvent, Outbound } from "@factotum/channel-contract";
import type { ConformancePlatform, TestEvent, TestHappening, TestHappeningEvent } from "@factotum/channel-conformance";
import {
  telegramMessageUpdate,
  telegramOwnMemberUpdate,
  telegramPressUpdate,
  telegramReactionUpdate,
  telegramUserOf,
  telegramVoteUpdate,
} from "@factotum/testing-channels";
import type { FakeTelegram, TelegramMessage, TelegramUpdate } from "@factotum/testing-channels";
import { BOB } from "./mention-entities.ts";
import { ALICE, FORUM } from "./scene.ts";

/** The platform as far as its events need it. */
interface HappeningPlatform extends Pick<ConformancePlatform, "event" | "target"> {
  readonly telegram: FakeTelegram;
  expect(update: TelegramUpdate, expected: Partial<TestEvent["expected"]>): TestEvent;
}

/** What is delivered: an update, or something that the channel sends itself and the update about it. */
export interface Raw {
  readonly outbound?: Outbound;
  readonly update?: () => TelegramUpdate;
  /** The further parts of an album. */
  readonly parts?: readonly TelegramUpdate[];
}

/** An event other than a message. */
export function telegramHappening(platform: HappeningPlatform, what: TestHappening): TestHappeningEvent {
  const { telegram } = platform;
  const { app } = telegram;
  const before = platform.event({ text: "before", conversation: "group", sender: "person" });
  const target = telegram.addMessage({ chatId: FORUM, fromId: ALICE, text: "The target" });
  const facts = { messageId: String(target.id), conversation: platform.target("group") };
  const at = { ...facts, timestampMs: Math.floor(app.now() / 1_000) * 1_000 };
  const of = (update: TelegramUpdate, expected: InboundEvent, more: Partial<TestEvent["expected"]> = {}): TestHappeningEvent => ({
    before,
    event: platform.expect(update, { ...at, ...more }),
    expected,
    ...(what === "edit" && { text: "after" }),
  });
  const targetId = messageId(String(target.id));
  switch (what) {
    case "edit": {
      target.text = "after";
      target.edits = 1;
      return of(telegramMessageUpdate(telegram, target), { type: "edit", targetId });
    }
    case "reaction":
    case "reaction-taken-back": {
      const removed = what === "reaction-taken-back";
      const [none, one]: [string[], string[]] = [[], ["👍"]];
      const change = { fromId: ALICE, before: removed ? one : none, after: removed ? none : one };
      return of(telegramReactionUpdate(telegram, target, change), { type: "reaction", targetId, emoji: "👍", removed });
    }
    case "joined":
    case "left": {
      const user = telegramUserOf(app, BOB);
      const service = what === "joined" ? { new_chat_members: [user] } : { left_chat_member: user };
      const update = telegramMessageUpdate(telegram, target, { text: undefined, ...service });
      return of(update, { type: "member", change: what, member: { id: String(BOB), name: "Bob", isSelf: false } });
    }
    case "bot-joined": {
      const update = telegramOwnMemberUpdate(telegram, { chatId: FORUM, fromId: ALICE, before: "left", after: "member" });
      const member = { id: String(app.bot.id), name: app.bot.firstName, isSelf: true };
      return of(update, { type: "member", change: "joined", member }, { messageId: String(update.update_id) });
    }
    case "press":
      return ownMessage(
        platform,
        { type: "card", card: { body: "A card", buttons: [{ actionId: "approve", label: "Approve", value: "yes", style: "default" }] } },
        (sent, ids) => telegramPressUpdate(telegram, sent, { fromId: ALICE, data: sent.buttons[0]?.[0]?.callback_data ?? "" }, ids),
        (id) => ({ type: "action", actionId: "approve", value: "yes", targetId: id }),
      );
    case "vote":
      return ownMessage(
        platform,
        { type: "poll", poll: { question: "Tea?", options: ["Green", "Black"], multiple: true } },
        (sent, ids) => telegramVoteUpdate(telegram, sent, { fromId: ALICE, options: [1] }, ids),
        (id) => ({ type: "vote", targetId: id, options: ["Black"] }),
      );
    case "delete":
    case "receipt":
      throw new Error(`Telegram's channel passes on no ${what}`);
  }
}

/** An event about a message of the channel itself, which is sent first: only it knows what is behind its buttons and polls. */
function ownMessage(
  platform: HappeningPlatform,
  outbound: Outbound,
  update: (sent: TelegramMessage, ids: { readonly updateId: number; readonly pressId: string }) => TelegramUpdate,
  expected: (id: ReturnType<typeof messageId>) => InboundEvent,
): TestHappeningEvent {
  const { telegram } = platform;
  const id = telegram.store.nextId;
  const ids = { updateId: telegram.nextUpdateId(), pressId: telegram.press() };
  const known = platform.expect({ update_id: ids.updateId }, { conversation: platform.target("group"), timestampMs: 0 });
  return {
    before: { ...known, raw: { outbound } satisfies Raw },
    event: {
      ...known,
      raw: {
        update: () => {
          const sent = telegram.sent.find((message) => message.id === id);
          if (sent === undefined) throw new Error("the message was not sent");
          return update(sent, ids);
        },
      } satisfies Raw,
    },
    expected: expected(messageId(String(id))),
  };
}
