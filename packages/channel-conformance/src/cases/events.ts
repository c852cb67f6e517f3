import assert from "node:assert/strict";
import { MsgContextSchema } from "@factotum/channel-contract";
import type { EventType, MsgContext } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../case.ts";
import { expectedOrigin } from "../platform.ts";
import type { TestHappening, TestHappeningEvent } from "../platform.ts";

/** The happenings of each type of event, with what they prove. `moved` has a control of its own, and its case is one of the platform's guarantees. */
const HAPPENINGS: Readonly<Record<Exclude<EventType, "message">, readonly { readonly what: TestHappening; readonly behaviour: string }[]>> =
  {
    edit: [{ what: "edit", behaviour: "An edited message is an event that names it, with its text after the edit." }],
    delete: [{ what: "delete", behaviour: "A deleted message is an event that names it." }],
    reaction: [
      { what: "reaction", behaviour: "A reaction names its message and its emoji, as Unicode where there is one, and who reacted." },
      { what: "reaction-taken-back", behaviour: "A reaction that was taken back says so." },
    ],
    action: [{ what: "press", behaviour: "A pressed button is an event with the id and the value that the card gave it." }],
    member: [
      { what: "joined", behaviour: "A new member of a group is named, and so is who added it." },
      { what: "left", behaviour: "A member that has left a group is named, and so is who removed it." },
      { what: "bot-joined", behaviour: "That the bot itself was added to a group is marked as such." },
    ],
    vote: [{ what: "vote", behaviour: "A vote names its poll and the chosen answers." }],
    receipt: [{ what: "receipt", behaviour: "A receipt names the newest message that was received or read." }],
    moved: [],
  };

/** Delivers the message that an event is about, then the event; resolves with the events that the channel passed on because of it. */
async function deliver(world: World, { before, event }: TestHappeningEvent): Promise<readonly MsgContext[]> {
  if (before !== undefined) assert.equal(await world.platform.deliver(world.channel, before), "acknowledged");
  const known = world.host.received.length;
  assert.equal(await world.platform.deliver(world.channel, event), "acknowledged");
  // A channel may first look up what the event is about; the platform's acknowledgement means that it is kept.
  await world.host.handedOver(known + 1);
  return world.host.received.slice(known);
}

const EVENT_TYPES = Object.keys(HAPPENINGS) as (keyof typeof HAPPENINGS)[];

/** Events other than messages, for each type that a channel declares. */
export const EVENT_CASES: readonly ConformanceCase[] = EVENT_TYPES.flatMap((type) =>
  HAPPENINGS[type].map(({ what, behaviour }) => ({
    id: `event:${what}`,
    needs: [`event-${type}`] as const,
    behaviour,
    async prove(world) {
      const happening = world.platform.happening(what);
      const [received, ...more] = await deliver(world, happening);
      assert.ok(received, "the event is passed to the gateway");
      assert.equal(more.length, 0, "one event is passed to the gateway once");
      MsgContextSchema.parse(received);
      const { expected } = happening.event;
      assert.deepEqual(received.event, happening.expected);
      assert.deepEqual(
        received.origin,
        expectedOrigin({ channel: world.options.channel, accountId: world.host.accountId }, happening.event),
      );
      assert.equal(received.sender.id, expected.senderId);
      assert.equal(received.timestampMs, expected.timestampMs);
      if (what === "edit") assert.equal(received.text, happening.text);
      // Repeated deliveries of one event are one input.
      await world.platform.deliver(world.channel, happening.event);
      assert.equal(world.host.received.at(-1)?.eventId, received.eventId);
      assert.equal(world.host.stored.filter(({ event }) => event.type === received.event.type).length, 1);
    },
  })),
);
