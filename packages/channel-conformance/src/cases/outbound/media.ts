import assert from "node:assert/strict";
import type { Media, Outbound } from "@factotum/channel-contract";
import type { ConformanceCase } from "../../case.ts";
import { driverOf } from "../rich/driver-of.ts";
import { acceptedId, assertRejected } from "./receipt.ts";
import { text } from "./text.ts";

const BYTES = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** A file of each kind; its content is a real image only where that matters. */
const FILES: Readonly<Record<Media["kind"], { readonly mimeType: string; readonly fileName: string }>> = {
  image: { mimeType: "image/png", fileName: "a picture.png" },
  audio: { mimeType: "audio/mpeg", fileName: "voice.mp3" },
  video: { mimeType: "video/mp4", fileName: "film.mp4" },
  file: { mimeType: "application/octet-stream", fileName: "报告 (1).bin" },
};

/** The first page of a file of Opus in Ogg. */
const RECORDING = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(22), Buffer.from("OpusHead"), Buffer.alloc(40)]);

const media = (kind: Media["kind"], bytes: Uint8Array = BYTES): Extract<Outbound, { type: "media" }> => ({
  type: "media",
  media: { kind, bytes, ...FILES[kind] },
});

/** Sending files, and the typing indicator. */
export const MEDIA_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:media",
    needs: ["media"],
    behaviour: "A file of every declared kind is shown once, byte for byte, in its order among texts; the receipt names the message.",
    async prove({ send, platform, channel }) {
      const kinds = channel.capabilities.media.map(({ kind }) => kind);
      const [, ...receipts] = await Promise.all([send(text("before")), ...kinds.map((kind) => send(media(kind))), send(text("after"))]);
      const shown = platform.shown.slice(1, -1);
      assert.deepEqual([platform.shown[0]?.text, platform.shown.at(-1)?.text], ["before", "after"]);
      assert.deepEqual(
        shown.map(({ messageId }) => messageId),
        receipts.slice(0, -1).map(acceptedId),
      );
      for (const { file } of shown) assert.ok(file !== undefined && Buffer.compare(file.bytes, BYTES) === 0, "the bytes are others");
    },
  },
  {
    id: "outbound:media-name",
    needs: ["media"],
    behaviour: "A plain file keeps its name, whatever alphabet it is in.",
    async prove({ send, platform, channel }) {
      if (!channel.capabilities.media.some(({ kind }) => kind === "file")) return;
      acceptedId(await send(media("file")));
      assert.equal(platform.shown[0]?.file?.name, FILES.file.fileName);
    },
  },
  {
    id: "outbound:caption",
    needs: ["captions"],
    behaviour: "A file and its caption, up to the declared length, are shown as one message.",
    async prove({ send, platform, channel }) {
      const [first] = channel.capabilities.media;
      assert.ok(first);
      const longest = "x".repeat(channel.capabilities.limits?.captionLength ?? 0);
      for (const caption of ["See **this**", longest]) acceptedId(await send({ ...media(first.kind), caption }));
      const [short, long, ...more] = platform.shown;
      assert.ok(short?.text.includes("this") && short.file !== undefined, JSON.stringify(short?.text));
      assert.ok(long?.text.includes(longest) && long.file !== undefined, JSON.stringify(long?.text));
      assert.deepEqual(more, []);
    },
  },
  {
    id: "outbound:voice",
    needs: ["voice-messages"],
    behaviour: "A recording is shown as a voice message, byte for byte.",
    async prove({ send, platform }) {
      acceptedId(
        await send({
          type: "media",
          media: { kind: "audio", mimeType: "audio/ogg", fileName: "voice.ogg", bytes: RECORDING, voice: true },
        }),
      );
      const file = platform.shown[0]?.file;
      assert.equal(file?.isVoice, true);
      assert.ok(Buffer.compare(file.bytes, RECORDING) === 0, "the bytes are others");
    },
  },
  {
    id: "outbound:typing",
    needs: ["typing"],
    behaviour: "The sign that an answer is being written is shown in the conversation, and is no message.",
    async prove({ send, platform, address }) {
      for (const receipt of await Promise.all([send({ type: "typing" }), send({ type: "typing" })])) assert.equal(receipt.type, "accepted");
      assert.deepEqual(platform.shown, []);
      // A second sign may be left out while the first one is still shown.
      assert.deepEqual([...new Set(driverOf(platform, "typing")())], [address("direct").conversation.id]);
    },
  },
  {
    id: "outbound:media-too-large",
    needs: ["media"],
    behaviour: "A file over the declared size is rejected as too-long for good, and nothing is shown.",
    async prove({ send, platform, channel }) {
      const [first] = channel.capabilities.media.toSorted((one, other) => one.maxBytes - other.maxBytes);
      assert.ok(first);
      const receipt = await send(media(first.kind, Buffer.alloc(first.maxBytes + 1, 1)));
      assertRejected(receipt, "too-long");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
      assert.equal(platform.shown.length, 0);
    },
  },
];
