import { existsSync } from "node:fs";
import { sayText, startMediaServer } from "@factotum/testing-providers";
import type { MediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTelegramScene, type TelegramScene } from "./telegram-scene.ts";

/** The first page of an Ogg file with an Opus stream. */
const VOICE = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(20), Buffer.from("\x01\x13OpusHead\x01\x01"), Buffer.alloc(64)]);
const KEY = "sk-media-0123456789";

let media: MediaServer;
beforeEach(async () => {
  media = await startMediaServer({ key: KEY });
});
afterEach(async () => media[Symbol.asyncDispose]());

async function start(tts: object): Promise<TelegramScene> {
  const provider = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: KEY };
  return startTelegramScene("polling", {}, { providers: { mouth: provider }, messages: { tts } });
}

test("an answer is sent as a voice message, and as text while its provider fails", async () => {
  await using scene = await start({ auto: "always", provider: "mouth/tts-1" });
  scene.model.respond(() => sayText("**Good** morning"));
  media.respond(() => ({ type: "bytes", mimeType: "audio/ogg", bytes: VOICE }));
  await scene.say("hello");
  const [spoken] = await scene.shown((sent) => sent.length === 1);
  expect(spoken).toMatchObject({ kind: "voice", text: "" });
  expect(Buffer.from(spoken?.file?.bytes ?? [])).toEqual(VOICE);
  expect(media.requests[0]?.fields["input"]).toBe("Good morning");
  media.respond(() => ({ type: "page", status: 502, html: "<h1>Bad gateway</h1>" }));
  await scene.say("hello");
  const written = (await scene.shown((sent) => sent.length === 2))[1];
  expect(written).toMatchObject({ kind: "text", text: "Good morning" });
  expect(scene.product.output()).not.toContain(KEY);
});

test.skipIf(!existsSync("/usr/bin/espeak-ng"))("espeak-ng speaks into an audio file beside the text", async () => {
  await using scene = await start({ auto: "always", provider: "espeak-ng", voice: "en" });
  scene.model.respond(() => sayText("Good morning"));
  await scene.say("hello");
  const sent = await scene.shown((all) => all.some(({ file }) => file !== undefined));
  const bytes = Buffer.from(sent.find(({ file }) => file !== undefined)?.file?.bytes ?? []);
  expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
  expect(bytes.length).toBeGreaterThan(10_000);
  expect(sent.some(({ text }) => text.includes("Good morning"))).toBe(true);
});
