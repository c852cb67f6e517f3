import { messageId } from "@factotum/channel-contract";
import type { InboundEvent, Outbound } from "@factotum/channel-contract";
import type { ConformancePlatform, TestEvent, TestHappening, TestHappeningEvent } from "@factotum/channel-conformance";
import { telegramMessageUpdate, telegramPressUpdate, telegramReactionUpdate } from "@factotum/testing-channels";
import type { FakeTelegram, TelegramUpdate } from "@factotum/testing-channels";
import { ALICE, conversationOf, FORUM } from "./scene.ts";

/** The platform as far as its events need it. */
interface HappeningPlatform extends Pick<ConformancePlatform, "event"> {
  readonly telegram: FakeTelegram;
  expect(update: () => TelegramUpdate, expected: Partial<TestEvent["expected"]>): TestEvent;
}

/** What is delivered: an update, or something that the channel sends itself. */
export interface Raw {
  readonly outbound?: Outbound;
  readonly update?: () => TelegramUpdate;
  /** The further parts of an album. */
  readonly parts?: readonly TelegramUpdate[];
}

const CARD: Outbound = {
  type: "card",
  card: { body: "A card", buttons: [{ actionId: "approve", label: "Approve", value: "yes", style: "default" }] },
};

/** An event other than a message. The adapter gives no times of reactions and presses. */
export function telegramHappening(platform: HappeningPlatform, what: TestHappening): TestHappeningEvent {
  const { telegram } = platform;
  const before = platform.event({ text: "before", conversation: "group", sender: "person" });
  const target = telegram.addMessage({ chatId: FORUM, fromId: ALICE, text: "The target" });
  const id = `${FORUM}:${target.id}`;
  const targetId = messageId(id);
  const facts = { messageId: id, conversation: conversationOf(FORUM), timestampMs: 0 };
  const of = (update: TelegramUpdate, expected: InboundEvent, more: Partial<TestEvent["expected"]> = {}): TestHappeningEvent => ({
    before,
    event: platform.expect(() => update, { ...facts, ...more }),
    expected,
    ...(what === "edit" && { text: "after" }),
  });
  switch (what) {
    case "edit":
      target.text = "after";
      target.edits = 1;
      return of(
        telegramMessageUpdate(telegram, target),
        { type: "edit", targetId },
        { timestampMs: Math.floor(target.atMs / 1_000) * 1_000 },
      );
    case "reaction":
    case "reaction-taken-back": {
      const removed = what === "reaction-taken-back";
      const change = { fromId: ALICE, before: removed ? ["👍"] : [], after: removed ? [] : ["👍"] };
      return of(telegramReactionUpdate(telegram, target, change), { type: "reaction", targetId, emoji: "👍", removed });
    }
    case "press": {
      const shownId = telegram.store.nextId;
      const ids = { updateId: telegram.nextUpdateId(), pressId: telegram.press() };
      const update = (): TelegramUpdate => {
        const sent = telegram.sent.find((message) => message.id === shownId);
        if (sent === undefined) throw new Error("the card was not sent");
        return telegramPressUpdate(telegram, sent, { fromId: ALICE, data: sent.buttons[0]?.[0]?.callback_data ?? "" }, ids);
      };
      const known = platform.expect(update, facts);
      const pressed = messageId(`${FORUM}:${shownId}`);
      return {
        before: { ...known, raw: { outbound: CARD } satisfies Raw },
        event: known,
        expected: { type: "action", actionId: "approve", value: "yes", targetId: pressed },
      };
    }
    default:
      throw new Error(`the adapter passes on no ${what}`);
  }
}
