import { messageId } from "@factotum/channel-contract";
import type { InboundEvent, Outbound } from "@factotum/channel-contract";
import type { ConformancePlatform, TestEvent, TestHappening, TestHappeningEvent } from "@factotum/channel-conformance";
import type { FakeMatrix, MatrixContent, MatrixStoredEvent } from "@factotum/testing-channels";
import { ALICE, BOB, GROUP } from "./scene.ts";

/** What is delivered: an event of the bot's stream, or something that the channel sends itself. */
export interface Raw {
  readonly roomId?: string;
  readonly event?: () => unknown;
  readonly outbound?: Outbound;
}

/** The platform as far as its events need it. */
interface HappeningPlatform extends Pick<ConformancePlatform, "event" | "target"> {
  readonly matrix: FakeMatrix;
  write(event: { readonly roomId: string; readonly content: MatrixContent }): MatrixStoredEvent;
  expect(roomId: string, event: MatrixStoredEvent, expected: Partial<TestEvent["expected"]>): TestEvent;
}

/** An event other than a message. */
export function matrixHappening(platform: HappeningPlatform, what: TestHappening): TestHappeningEvent {
  const { store, app } = platform.matrix;
  const before = platform.event({ text: "before", conversation: "group", sender: "person" });
  const conversation = platform.target("group");
  const target = platform.write({ roomId: GROUP, content: { msgtype: "m.text", body: "The target" } });
  const targetId = messageId(target.event_id);
  const of = (event: MatrixStoredEvent, expected: InboundEvent, more: Partial<TestEvent["expected"]> = {}): TestHappeningEvent => ({
    before,
    event: platform.expect(GROUP, event, { conversation, ...more }),
    expected,
    ...(what === "edit" && { text: "after" }),
  });
  const hidden = (event: Parameters<typeof store.append>[0]): MatrixStoredEvent => store.hide(() => store.append(event));
  const react = {
    roomId: GROUP,
    type: "m.reaction",
    sender: ALICE,
    content: { "m.relates_to": { rel_type: "m.annotation", event_id: targetId, key: "👍" } },
  };
  const reaction = { type: "reaction", targetId, emoji: "👍", isOnOwnMessage: false } as const;
  const memberOf = (userId: string, sender: string, membership: string): MatrixStoredEvent =>
    hidden({ roomId: GROUP, type: "m.room.member", sender, stateKey: userId, content: store.memberContent(userId, membership) });
  switch (what) {
    case "edit": {
      const content = {
        msgtype: "m.text",
        body: "* after",
        "m.new_content": { msgtype: "m.text", body: "after" },
        "m.relates_to": { rel_type: "m.replace", event_id: targetId },
      };
      return of(hidden({ roomId: GROUP, type: "m.room.message", sender: ALICE, content }), { type: "edit", targetId });
    }
    case "delete":
      return of(
        store.hide(() => store.redact({ roomId: GROUP, eventId: targetId, sender: ALICE })),
        { type: "delete", targetId },
      );
    case "reaction":
      return of(hidden(react), { ...reaction, removed: false });
    case "reaction-taken-back": {
      const added = store.append(react);
      // The reaction itself is delivered first: what it was is known only from it.
      const removal = {
        raw: {
          roomId: GROUP,
          event: () => store.hide(() => store.redact({ roomId: GROUP, eventId: added.event_id, sender: ALICE })),
        } satisfies Raw,
      };
      return lazily(platform, {
        before: platform.expect(GROUP, added, { conversation }),
        removal,
        expected: { ...reaction, removed: true },
      });
    }
    case "joined": {
      memberOf(BOB, ALICE, "leave");
      memberOf(BOB, ALICE, "invite");
      return of(
        memberOf(BOB, BOB, "join"),
        { type: "member", change: "joined", member: { id: BOB, name: "Bob", isSelf: false } },
        { senderId: ALICE },
      );
    }
    case "left":
      return of(memberOf(BOB, ALICE, "leave"), { type: "member", change: "left", member: { id: BOB, name: "Bob", isSelf: false } });
    case "bot-joined": {
      memberOf(app.bot.id, ALICE, "leave");
      memberOf(app.bot.id, ALICE, "invite");
      const member = { id: app.bot.id, name: app.bot.displayName ?? "", isSelf: true };
      return of(memberOf(app.bot.id, app.bot.id, "join"), { type: "member", change: "joined", member }, { senderId: ALICE });
    }
    case "vote": {
      const own: TestEvent = {
        ...before,
        raw: { outbound: { type: "poll", poll: { question: "Tea?", options: ["Green", "Black"], multiple: true } } } satisfies Raw,
      };
      const pollId = store.peekId();
      const vote = {
        raw: {
          roomId: GROUP,
          event: once(() =>
            hidden({
              roomId: GROUP,
              type: "org.matrix.msc3381.poll.response",
              sender: ALICE,
              content: {
                "m.relates_to": { rel_type: "m.reference", event_id: pollId },
                "org.matrix.msc3381.poll.response": { answers: ["answer-2"] },
              },
            }),
          ),
        } satisfies Raw,
      };
      return lazily(platform, { before: own, removal: vote, expected: { type: "vote", targetId: messageId(pollId), options: ["Black"] } });
    }
    case "press":
    case "receipt":
      throw new Error(`Matrix's channel passes on no ${what}`);
  }
}

/** An event that is made when it is delivered. */
function lazily(
  platform: HappeningPlatform,
  { before, removal, expected }: { readonly before: TestEvent; readonly removal: { readonly raw: Raw }; readonly expected: InboundEvent },
): TestHappeningEvent {
  const event = {
    raw: { ...removal.raw, event: once(removal.raw.event ?? (() => undefined)) },
    expected: {
      eventId: "",
      messageId: "",
      conversation: platform.target("group"),
      senderId: ALICE,
      timestampMs: platform.matrix.app.now(),
    },
  };
  return { before, event, expected };
}

function once<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: create() }).value;
}
