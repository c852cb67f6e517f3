import { chmod, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sayText, startMediaServer } from "@factotum/testing-providers";
import type { MediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTelegramScene, type TelegramScene } from "./telegram-scene.ts";

/** The first page of an Ogg file with an Opus stream, as recorders write it. */
const VOICE = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(20), Buffer.from("\x01\x13OpusHead\x01\x01"), Buffer.alloc(64)]);
const KEY = "sk-media-0123456789";

let media: MediaServer;
beforeEach(async () => {
  media = await startMediaServer({ key: KEY });
});
afterEach(async () => media[Symbol.asyncDispose]());

/** The owner sends a voice note; returns the model's newest prompt once it has answered. */
async function sendVoice(scene: TelegramScene): Promise<string> {
  const before = scene.telegram.sent.length;
  const file = scene.telegram.addFile({ name: "voice.oga", mimeType: "audio/ogg", bytes: VOICE });
  await scene.say("", { file, kind: "voice" });
  await scene.shown((sent) => sent.length > before);
  return JSON.stringify(scene.model.requests.at(-1)?.body?.["messages"]);
}

test("a voice note is transcribed by a provider, and a broken provider loses no message", async () => {
  const provider = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: KEY };
  await using scene = await startTelegramScene(
    "polling",
    {},
    { providers: { ears: provider }, models: { transcription: "ears/whisper-1" } },
  );
  scene.model.respond(() => sayText("Done."));
  media.respond(() => ({ type: "json", body: { text: "Remind me of the dentist." } }));
  expect(await sendVoice(scene)).toContain("Remind me of the dentist.");
  expect(Buffer.from(media.requests[0]?.files[0]?.bytes ?? [])).toEqual(VOICE);
  media.respond(() => ({ type: "page", status: 502, html: "<h1>Bad gateway</h1>" }));
  expect(await sendVoice(scene)).toContain("not transcribed: the transcription failed");
  expect(scene.product.output()).toContain("A recording was not transcribed");
  expect(scene.product.output()).not.toContain(KEY);
});

test("a voice note is transcribed by a program of this computer, without a shell", async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "factotum-ears-"));
  const program = path.join(folder.path, "listen");
  await writeFile(program, '#!/bin/sh\nprintf "%s bytes; %s" "$(wc -c < "$2")" "$3"\n');
  await chmod(program, 0o755);
  const transcription = { command: [program, "-f", "{file}", "$(touch hacked) ; {file}"], timeoutSeconds: 20 };
  await using scene = await startTelegramScene("polling", {}, { models: { transcription } });
  scene.model.respond(() => sayText("Done."));
  const prompt = await sendVoice(scene);
  expect(prompt).toMatch(new RegExp(`${VOICE.length} bytes; \\$\\(touch hacked\\) ; /`));
  await expect(readFile(path.join(scene.workspace, "hacked"))).rejects.toThrow(/ENOENT/);
});
