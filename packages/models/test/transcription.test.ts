import { ModelError } from "@factotum/agent-contract";
import { type MediaServer, startMediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { httpFetch, type MediaConnection, transcribeAudio } from "../src/index.ts";

const VOICE = { bytes: Buffer.from("OggS a voice note"), mimeType: "audio/ogg" };

let server: MediaServer;
beforeEach(async () => {
  server = await startMediaServer({ key: "sk-media" });
});
afterEach(async () => server[Symbol.asyncDispose]());

function connection(more: Partial<MediaConnection> = {}): MediaConnection {
  const base = { provider: "speech", model: "whisper-1", api: "openai-chat", apiKey: "sk-media", keyPlace: "the test" } as const;
  return { ...base, baseUrl: server.baseUrl, fetch: httpFetch, now: () => Date.now(), ...more };
}

async function failure(more: Partial<MediaConnection> = {}, signal = new AbortController().signal): Promise<ModelError> {
  const error: unknown = await transcribeAudio(connection(more), VOICE, { signal }).catch((reason: unknown) => reason);
  if (!ModelError.isInstance(error)) throw new Error("it did not fail with a model error");
  return error;
}

test("a recording is sent as a file with its type, and its words come back", async () => {
  server.respond(() => ({ type: "json", body: { text: "  Buy milk. " } }));
  const { text, usage } = await transcribeAudio(connection(), VOICE, { signal: new AbortController().signal });
  expect(text).toBe("Buy milk.");
  expect(usage.total).toBe(0);
  const [request] = server.requests;
  expect(request?.path).toBe("/audio/transcriptions");
  expect(request?.fields["model"]).toBe("whisper-1");
  expect(request?.files[0]).toMatchObject({ field: "file", mimeType: "audio/ogg" });
  expect(Buffer.from(request?.files[0]?.bytes ?? [])).toEqual(VOICE.bytes);
});

test("tokens that the provider counts are charged at the model's price", async () => {
  server.respond(() => ({
    type: "json",
    body: { text: "hi", usage: { type: "tokens", input_tokens: 1000, output_tokens: 10, total_tokens: 1010 } },
  }));
  const priced = connection({ model: "gpt-4o-transcribe", cost: { input: 2, output: 10 } });
  const { usage } = await transcribeAudio(priced, VOICE, { signal: new AbortController().signal });
  expect(usage).toMatchObject({ input: 1000, output: 10, total: 1010, costUsd: 0.0021 });
});

test("a refusal, a page and an unreadable answer are typed errors that name no key", async () => {
  const wrongKey = await failure({ apiKey: "sk-wrong-key-1234" });
  expect(wrongKey.code).toBe("unauthorized");
  expect(wrongKey.message).not.toContain("sk-wrong-key-1234");
  server.respond(() => ({ type: "json", status: 500, body: { error: { message: "broken" } } }));
  expect((await failure()).code).toBe("server");
  server.respond(() => ({ type: "page", html: "<h1>Welcome</h1>" }));
  const page = await failure();
  expect(page.code).toBe("truncated");
  expect(page.message).toContain("baseUrl");
  server.respond(() => ({ type: "json", body: { words: 1 } }));
  expect((await failure()).code).toBe("truncated");
});

test("a provider that does not answer is left when the signal fires", async () => {
  server.respond(() => ({ type: "silence" }));
  const stop = new AbortController();
  const failed = failure({}, stop.signal);
  await server.arrived(1);
  stop.abort();
  expect((await failed).code).toBe("aborted");
});

test("without a key no credential is sent", async () => {
  const { apiKey: _key, ...keyless } = connection();
  await transcribeAudio(keyless, VOICE, { signal: new AbortController().signal }).catch(() => undefined);
  expect(server.requests[0]?.authorization).toBeUndefined();
});

test("a wire format without transcription says what to set", async () => {
  const error = await failure({ api: "anthropic-messages" });
  expect(error.message).toContain("models.transcription");
  expect(server.requests).toEqual([]);
});
