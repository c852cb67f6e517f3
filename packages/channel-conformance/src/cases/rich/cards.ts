import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { Card, CardButton, MsgContext } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../../case.ts";
import type { ShownMessage, TestPress } from "../../platform.ts";
import { acceptedId, assertRejected } from "../outbound/receipt.ts";
import { driverOf } from "./driver-of.ts";

const button = (label: string, value = `value of ${label}`): CardButton => ({ actionId: `id-${label}`, label, value, style: "default" });

const CARD: Card = {
  title: "Dinner",
  body: "Where shall we **eat**?",
  fields: [
    { label: "When", value: "at eight" },
    { label: "Who", value: "four of us" },
  ],
};
const BUTTONS = [button("Inn"), button("Pub")];

/** Sends a card and resolves with what is shown. */
async function show(world: World, card: Card): Promise<ShownMessage & { readonly card: NonNullable<ShownMessage["card"]> }> {
  const id = acceptedId(await world.send({ type: "card", card }));
  const shown = world.platform.shown.find((message) => message.messageId === id);
  assert.ok(shown?.card, "the card is shown as a card");
  return { ...shown, card: shown.card };
}

/** Presses a button; resolves with the one event that the channel passed on. */
async function press({ platform, channel, host }: World, pressed: TestPress): Promise<MsgContext> {
  // A press may not name the kind of its chat: the channel knows it from a message.
  await platform.deliver(channel, platform.event({ text: "hello", conversation: "direct", sender: "person" }));
  const known = host.received.length;
  const answer = await driverOf(platform, "press")(channel, pressed);
  assert.equal(answer, "acknowledged");
  const [received, ...more] = host.received.slice(known);
  assert.ok(received, "the press is passed on");
  assert.equal(more.length, 0, "one press is one event");
  return received;
}

/** Cards, their buttons and inputs. */
export const CARD_CASES: readonly ConformanceCase[] = [
  {
    id: "card:shown",
    needs: ["cards"],
    behaviour: "A card is one message that shows its title, its body and every field; the receipt names it.",
    async prove(world) {
      const { card } = await show(world, CARD);
      for (const part of ["Dinner", "Where shall we", "eat", "When", "at eight", "Who", "four of us"])
        assert.ok(card.text.includes(part), `the card does not show "${part}": ${card.text}`);
      assert.equal(world.platform.shown.length, 1);
    },
  },
  {
    id: "card:buttons",
    needs: ["buttons"],
    behaviour: "A card shows its buttons in order.",
    async prove(world) {
      const { card } = await show(world, { ...CARD, buttons: BUTTONS });
      assert.deepEqual(card.buttons, ["Inn", "Pub"]);
    },
  },
  {
    id: "card:press",
    needs: ["buttons", "event-action"],
    behaviour: "A pressed button is an event with the id and the value of that button, the card, and the person who pressed.",
    async prove(world) {
      const shown = await show(world, { ...CARD, buttons: BUTTONS });
      const { event, sender, origin } = await press(world, { messageId: shown.messageId, label: "Pub" });
      assert.deepEqual(event.type === "action" && [event.actionId, event.value, event.targetId], [
        "id-Pub",
        "value of Pub",
        shown.messageId,
      ]);
      assert.deepEqual(origin, world.address("direct"));
      assert.equal(sender.id, world.event().expected.senderId);
    },
  },
  {
    id: "card:value-limit",
    needs: ["buttons", "event-action"],
    behaviour: "A value of the declared maximum bytes arrives unchanged with the press.",
    async prove(world) {
      const bytes = world.channel.capabilities.limits?.buttonValueBytes ?? 1_000;
      const value = `${"é".repeat(Math.floor((bytes - 1) / 2))}x`;
      const shown = await show(world, { ...CARD, buttons: [button("Inn", value)] });
      const { event } = await press(world, { messageId: shown.messageId, label: "Inn" });
      assert.equal(event.type === "action" && event.value, value);
    },
  },
  {
    id: "card:button-limit",
    needs: ["buttons"],
    behaviour: "A card with the declared maximum of buttons is shown with all of them; one more is rejected for good, or shown too.",
    async prove(world) {
      const { buttonsPerCard } = world.channel.capabilities.limits ?? {};
      const count = buttonsPerCard ?? 10;
      const buttons = Array.from({ length: count + 1 }, (_, index) => button(`b${index}`));
      const { card } = await show(world, { ...CARD, buttons: buttons.slice(0, count) });
      assert.equal(card.buttons.length, count);
      if (buttonsPerCard === undefined) return;
      const receipt = await world.send({ type: "card", card: { ...CARD, buttons } });
      if (receipt.type === "accepted") assert.equal(world.platform.shown.at(-1)?.card?.buttons.length, count + 1);
      else assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", JSON.stringify(receipt));
    },
  },
  {
    id: "card:edit",
    needs: ["card-edits"],
    behaviour: "An edited card shows the new content alone, in the same message.",
    async prove(world) {
      const shown = await show(world, CARD);
      const targetId = messageId(shown.messageId);
      acceptedId(await world.send({ type: "edit-card", targetId, card: { body: "Decided" } }));
      assert.equal(world.platform.shown.length, 1);
      const text = world.platform.shown[0]?.card?.text ?? "";
      assert.ok(text.includes("Decided") && !text.includes("at eight"), text);
    },
  },
  {
    id: "card:edit-gone",
    needs: ["card-edits"],
    behaviour: "An edit of a card that does not exist is rejected for good, and nothing is shown.",
    async prove({ send, platform }) {
      const receipt = await send({ type: "edit-card", targetId: messageId("no-such-message"), card: CARD });
      assertRejected(receipt, "not-found", "rejected");
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "form:shown",
    needs: ["forms"],
    behaviour: "A card shows its inputs in order.",
    async prove(world) {
      const { card } = await show(world, FORM);
      assert.deepEqual(card.inputs, ["name", "size"]);
    },
  },
  {
    id: "form:values",
    needs: ["forms", "event-action"],
    behaviour: "The values of a form arrive under the ids of its inputs, with the press of its button.",
    async prove(world) {
      const shown = await show(world, FORM);
      const inputs = { name: "Ann 😀", size: "large" };
      const { event } = await press(world, { messageId: shown.messageId, label: "Order", inputs });
      assert.deepEqual(event.type === "action" && event.inputs, inputs);
    },
  },
];

const FORM: Card = {
  body: "Order",
  inputs: [
    { type: "text", id: "name", label: "Name" },
    {
      type: "choice",
      id: "size",
      label: "Size",
      options: [
        { value: "small", label: "Small" },
        { value: "large", label: "Large" },
      ],
    },
  ],
  buttons: [button("Order")],
};
