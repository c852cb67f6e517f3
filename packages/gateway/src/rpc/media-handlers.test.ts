import { readdir } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { startMediaServer, type MediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

/** The first page of an Ogg file with an Opus stream, as recorders write it. */
const VOICE = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(20), Buffer.from("\x01\x13OpusHead\x01\x01"), Buffer.alloc(64)]);

let media: MediaServer;
let running: TestGateway;
let client: TestClient;

beforeEach(async () => {
  media = await startMediaServer({ key: "sk-media" });
});
afterEach(async () => {
  client[Symbol.dispose]();
  await running[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

async function start(transcription: FactotumConfig["models"]["transcription"]): Promise<void> {
  const speech = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: { type: "literal", value: "sk-media" } } as const;
  running = await startTestGateway({
    patch: (config) => {
      const providers = { ...config.models.providers, speech: { ...speech, credentials: {}, models: [], timeouts: {} } };
      return { ...config, models: { ...config.models, providers, transcription } };
    },
  });
  client = await TestClient.connect(running.gateway.url, running.token);
}

const transcribe = (bytes: Buffer): Promise<{ readonly text: string }> =>
  client.call("media.transcribe", { data: bytes.toString("base64") });

test("a recording becomes a text, is charged to the owner's agent, and is not kept", async () => {
  await start("speech/whisper-1");
  expect(await client.call("media.state", {})).toEqual({ transcription: true });
  media.respond(() => ({ type: "json", body: { text: " Buy milk. " } }));
  expect(await transcribe(VOICE)).toEqual({ text: "Buy milk." });
  expect(Buffer.from(media.requests[0]?.files[0]?.bytes ?? [])).toEqual(VOICE);
  const day = running.gateway.engine.parts.running.agents.default.time.day(Date.now());
  const charged = async (): Promise<number | undefined> =>
    (await running.store.readSpend(day, "main")).find(({ cause }) => cause === "user")?.calls;
  await expect.poll(charged).toBe(1);
  expect(await readdir(path.join(running.home, "media", "uploads", "waiting"))).toEqual([]);
});

test("silence is an empty text; a failure, a file without sound and a missing setting say what to do", async () => {
  await start("speech/whisper-1");
  media.respond(() => ({ type: "json", body: { text: "" } }));
  expect(await transcribe(VOICE)).toEqual({ text: "" });
  await expect(transcribe(Buffer.from("no recording"))).rejects.toThrow("invalid-request");
  media.respond(() => ({ type: "page", status: 502, html: "<h1>Bad gateway</h1>" }));
  await expect(transcribe(VOICE)).rejects.toThrow(/unavailable.*not transcribed/s);
  expect(await readdir(path.join(running.home, "media", "uploads", "waiting"))).toEqual([]);
});

test("without a setting nothing is asked, and the error names it", async () => {
  await start(undefined);
  expect(await client.call("media.state", {})).toEqual({ transcription: false });
  await expect(transcribe(VOICE)).rejects.toThrow("models.transcription");
  expect(media.requests).toEqual([]);
});
