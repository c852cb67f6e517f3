import assert from "node:assert/strict";
import type { Media, MessageId, Outbound } from "@factotum/channel-contract";
import type { ConformanceCase, Need, World } from "../../case.ts";
import { acceptedId } from "../outbound/receipt.ts";
import { text } from "../outbound/text.ts";

const POLL = { question: "Tea?", options: ["Green", "Black", "None"], multiple: true };

/** What can be sent without a notification. */
type SilentOutbound = Extract<Outbound, { readonly silent?: boolean }>;

function mediaOf({ channel }: World, index: number): Media {
  const kind = channel.capabilities.media[0]?.kind ?? "file";
  return {
    kind,
    mimeType: kind === "image" ? "image/png" : "application/octet-stream",
    fileName: `file-${index}.${kind === "image" ? "png" : "bin"}`,
    bytes: Buffer.from(`content of ${index}`),
  };
}

function file(world: World): SilentOutbound {
  return { type: "media", media: mediaOf(world, 0) };
}

function album(world: World, count: number): Extract<Outbound, { type: "album" }> {
  return { type: "album", media: Array.from({ length: count }, (_, index) => mediaOf(world, index)), caption: "All of them" };
}

function silentCase(
  id: string,
  what: string,
  { needs, of }: { readonly needs: readonly Need[]; readonly of: (world: World) => SilentOutbound },
): ConformanceCase {
  return {
    id,
    needs: ["silent", ...needs],
    behaviour: `A silent ${what} notifies nobody; the next one without it does.`,
    async prove(world) {
      const outbound = of(world);
      acceptedId(await world.send({ ...outbound, silent: true }));
      acceptedId(await world.send(outbound));
      assert.deepEqual(
        world.platform.shown.map((message) => message.silent === true),
        [true, false],
      );
    },
  };
}

/** Polls, albums, messages for one person or without a notification. */
export const SEND_CASES: readonly ConformanceCase[] = [
  {
    id: "poll:shown",
    needs: ["polls"],
    behaviour: "A poll shows its question and its options in order, and says whether several can be chosen.",
    async prove({ send, platform }) {
      acceptedId(await send({ type: "poll", poll: POLL }));
      assert.deepEqual(
        platform.shown.map(({ poll }) => poll),
        [POLL],
      );
    },
  },
  {
    id: "poll:limit",
    needs: ["polls"],
    behaviour: "A poll with the declared maximum of options is shown with all of them; one more is rejected for good, or shown too.",
    async prove({ send, platform, channel }) {
      const { pollOptions } = channel.capabilities.limits ?? {};
      const options = Array.from({ length: (pollOptions ?? 5) + 1 }, (_, index) => `option ${index}`);
      acceptedId(await send({ type: "poll", poll: { ...POLL, options: options.slice(1) } }));
      assert.deepEqual(platform.shown[0]?.poll?.options, options.slice(1));
      if (pollOptions === undefined) return;
      const receipt = await send({ type: "poll", poll: { ...POLL, options } });
      if (receipt.type === "accepted") assert.deepEqual(platform.shown.at(-1)?.poll?.options, options);
      else assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", JSON.stringify(receipt));
    },
  },
  {
    id: "album:shown",
    needs: ["albums", "media"],
    behaviour: "An album of the declared maximum is one message with every file, byte for byte and in order, and its caption.",
    async prove(world) {
      const count = world.channel.capabilities.limits?.filesPerMessage ?? 2;
      const receipt = await world.send(album(world, count));
      assert.ok(receipt.type === "accepted" && receipt.messageIds.length > 0, JSON.stringify(receipt));
      const [shown] = world.platform.shown;
      const contents = (shown?.files ?? []).map(({ bytes }) => Buffer.from(bytes).toString());
      assert.deepEqual(
        contents,
        Array.from({ length: count }, (_, index) => `content of ${index}`),
      );
      assert.ok(shown?.text.includes("All of them"), "the caption is shown");
    },
  },
  {
    id: "album:too-many",
    needs: ["albums", "media"],
    behaviour: "An album over the declared maximum is rejected for good and not shown, or every file of it is.",
    async prove(world) {
      const count = (world.channel.capabilities.limits?.filesPerMessage ?? 2) + 1;
      const receipt = await world.send(album(world, count));
      const files = world.platform.shown.flatMap((shown) => shown.files ?? []);
      assert.equal(files.length, receipt.type === "accepted" ? count : 0);
      assert.ok(receipt.type === "accepted" || (receipt.type === "rejected" && receipt.retry.type === "never"), JSON.stringify(receipt));
    },
  },
  {
    id: "audience:only-for",
    needs: ["ephemeral", "groups"],
    behaviour: "A text for one person is shown to that person alone; the next one without it is shown to all.",
    async prove({ send, platform, event }) {
      const onlyFor = event().expected.senderId;
      assert.equal((await send({ type: "text", text: "psst", onlyFor }, { to: "group" })).type, "accepted");
      acceptedId(await send(text("aloud"), { to: "group" }));
      assert.deepEqual(
        platform.shown.map((message) => [message.text, message.onlyFor]),
        [
          ["psst", onlyFor],
          ["aloud", undefined],
        ],
      );
    },
  },
  {
    id: "audience:card-only-for",
    needs: ["ephemeral", "cards", "groups"],
    behaviour: "A card for one person is shown to that person alone; the next one without it is shown to all.",
    async prove({ send, platform, event }) {
      const onlyFor = event().expected.senderId;
      assert.equal((await send({ type: "card", card: { body: "psst" }, onlyFor }, { to: "group" })).type, "accepted");
      acceptedId(await send({ type: "card", card: { body: "aloud" } }, { to: "group" }));
      assert.deepEqual(
        platform.shown.map((message) => message.onlyFor),
        [onlyFor, undefined],
      );
      assert.ok(platform.shown[0]?.card?.text.includes("psst"), "the person sees the card");
    },
  },
  silentCase("audience:silent", "text", { needs: [], of: () => ({ type: "text", text: "hush" }) }),
  silentCase("audience:silent-card", "card", { needs: ["cards"], of: () => ({ type: "card", card: { body: "hush" } }) }),
  silentCase("audience:silent-file", "file", { needs: ["media"], of: file }),
  silentCase("audience:silent-album", "album", { needs: ["albums", "media"], of: (world) => album(world, 2) }),
];

const step = (whole: string, added: string, more: { readonly targetId?: MessageId; readonly isLast?: boolean } = {}): Outbound => ({
  type: "stream",
  text: whole,
  added,
  isLast: false,
  ...more,
});

/** An answer that the platform shows while it grows. */
export const STREAM_CASES: readonly ConformanceCase[] = [
  {
    id: "stream:grows",
    needs: ["stream"],
    behaviour: "The steps of a stream are one message that grows, and the receipt of the first names it.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(step("One", "One")));
      assert.deepEqual([platform.shown[0]?.text, platform.shown[0]?.isGrowing], ["One", true]);
      acceptedId(await send(step("One two", " two", { targetId })));
      assert.deepEqual(
        platform.shown.map((message) => [message.messageId, message.text]),
        [[targetId, "One two"]],
      );
    },
  },
  {
    id: "stream:finish",
    needs: ["stream"],
    behaviour: "After the last step the message has the whole text once and is complete.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(step("One", "One")));
      acceptedId(await send(step("One two three", " two three", { targetId, isLast: true })));
      assert.deepEqual(
        platform.shown.map((message) => [message.text, message.isGrowing === true]),
        [["One two three", false]],
      );
    },
  },
  {
    id: "stream:edit",
    needs: ["stream", "edit"],
    behaviour: "An edit replaces the whole text of a stream that was not finished, and completes it.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(step("One", "One")));
      acceptedId(await send({ type: "edit", targetId, text: "Another answer" }));
      assert.deepEqual(
        platform.shown.map((message) => [message.text, message.isGrowing === true]),
        [["Another answer", false]],
      );
    },
  },
];
