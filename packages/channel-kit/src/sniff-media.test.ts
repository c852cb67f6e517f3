import fc from "fast-check";
import { expect, test } from "vitest";
import { sniffMedia } from "./index.ts";

const ebml = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701", "hex");

test.each([
  ["text", Buffer.from("name;age\nOlga;7\n"), { kind: "file", mimeType: "text/plain", extension: "txt" }],
  [
    "text cut in a character",
    Buffer.from("文".repeat(4_000)).subarray(0, 8_192),
    { kind: "file", mimeType: "text/plain", extension: "txt" },
  ],
  ["nothing", Buffer.alloc(0), { kind: "file", mimeType: "application/octet-stream", extension: "bin" }],
  ["zeros", Buffer.alloc(100), { kind: "file", mimeType: "application/octet-stream", extension: "bin" }],
  ["bytes", Buffer.from([0xff, 0x00, 0x12, 0x80]), { kind: "file", mimeType: "application/octet-stream", extension: "bin" }],
  ["a PDF", Buffer.from("%PDF-1.7\n"), { kind: "file", mimeType: "application/pdf", extension: "pdf" }],
  ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), { kind: "file", mimeType: "text/plain", extension: "txt" }],
  [
    "a voice message",
    Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(22), Buffer.from("OpusHead"), Buffer.alloc(60)]),
    { kind: "audio", mimeType: "audio/ogg" },
  ],
  [
    "an MP3",
    Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"), Buffer.from([0xff, 0xfb, 0x90, 0x44]), Buffer.alloc(60)]),
    { kind: "audio", mimeType: "audio/mpeg" },
  ],
  ["a film", Buffer.concat([ebml, Buffer.alloc(60)]), { kind: "video", mimeType: "video/webm" }],
])("%s is detected by its bytes", async (_name, bytes, expected) => {
  expect(await sniffMedia(bytes)).toMatchObject(expected);
});

test.each([
  ["png", "89504e470d0a1a0a0000000d49484452000000040000000408020000002693094d"],
  ["jpeg", "ffd8ffe000104a46494600010101004800480000"],
  ["gif", "474946383961040004008000000000"],
  ["webp", "524946461a000000574542505650384c0d000000"],
])("a %s is an image", async (format, hex) => {
  expect(await sniffMedia(Buffer.from(hex, "hex"))).toMatchObject({ kind: "image", mimeType: `image/${format}` });
});

test("any bytes have a type", async () => {
  const starts = [
    "89504e470d0a1a0a",
    "ffd8ff",
    "25504446",
    "504b0304",
    "1a45dfa3",
    "4f676753",
    "494433",
    "52494646",
    "0000001c66747970",
    "4949",
    "3026b2758e66cf11",
    "1f8b",
  ];
  const hostile = fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }))
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, "hex"), rest]));
  await fc.assert(
    fc.asyncProperty(hostile, async (bytes) => {
      expect(await sniffMedia(bytes)).toEqual({
        kind: expect.stringMatching(/^(?:image|audio|video|file)$/),
        mimeType: expect.stringMatching(/^[a-z]+\/[\w.+-]+$/),
        extension: expect.stringMatching(/^[a-z0-9]{1,12}$/),
      });
    }),
    { numRuns: 2_000 },
  );
});
