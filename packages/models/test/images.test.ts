import { ModelError } from "@factotum/agent-contract";
import { type MediaServer, type MediaWire, startMediaServer } from "@factotum/testing-providers";
import { afterEach, expect, test } from "vitest";
import { generateImages, httpFetch, imageModelProblem, type ImageRequest, type MediaConnection } from "../src/index.ts";

const PICTURE = Buffer.from("a picture");
const GIVEN = { bytes: Buffer.from("a given picture"), mimeType: "image/png" };
const KEY = "sk-media-0123456789";

let server: MediaServer;
afterEach(async () => server[Symbol.asyncDispose]());

async function connect(wire: MediaWire, more: Partial<MediaConnection> = {}): Promise<MediaConnection> {
  server = await startMediaServer({ key: KEY, wire });
  const model = wire === "google" ? "gemini-2.5-flash-image" : "gpt-image-1";
  const api = wire === "google" ? "google-generative-ai" : "openai-responses";
  return { provider: "painter", model, api, baseUrl: server.baseUrl, apiKey: KEY, fetch: httpFetch, now: () => 0, ...more };
}

function generate(connection: MediaConnection, request: Partial<ImageRequest> = {}, signal = new AbortController().signal) {
  return generateImages(connection, { prompt: "a red kite", count: 1, inputs: [], ...request }, { signal });
}

async function failure(made: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await made.catch((reason: unknown) => reason);
  if (!ModelError.isInstance(error)) throw new Error("it did not fail with a model error");
  return error;
}

function answerImages(count: number, usage?: object): void {
  const data = Array.from({ length: count }, () => ({ b64_json: PICTURE.toString("base64") }));
  server.respond(() => ({ type: "json", body: { created: 1, data, ...(usage === undefined ? {} : { usage }) } }));
}

function answerGoogle(parts: readonly object[], finishReason = "STOP"): void {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1290, totalTokenCount: 1295 };
  server.respond(() => ({
    type: "json",
    body: { candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }], usageMetadata },
  }));
}

test("images are made at OpenAI in one request, and its tokens are charged at the model's price", async () => {
  const connection = await connect("openai", { cost: { input: 5, output: 40 } });
  answerImages(2, { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 });
  const { images, usage } = await generate(connection, { count: 2, size: "16:9" });
  expect(images.map((image) => Buffer.from(image))).toEqual([PICTURE, PICTURE]);
  expect(usage).toMatchObject({ input: 10, output: 1_000, costUsd: 0.040_05 });
  expect(server.requests[0]).toMatchObject({
    path: "/images/generations",
    fields: { model: "gpt-image-1", prompt: "a red kite", n: 2, size: "1536x1024" },
  });
});

test("a model without a price is charged its tokens alone, one without counts nothing", async () => {
  const connection = await connect("openai", { api: "openai-chat", model: "flux" });
  answerImages(1);
  const { usage } = await generate(connection, { size: "640x480" });
  expect(usage).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 });
  expect(server.requests[0]?.fields).toMatchObject({ model: "flux", size: "640x480", response_format: "b64_json" });
});

test("given images are sent to OpenAI as files of a form", async () => {
  const connection = await connect("openai");
  answerImages(1);
  await generate(connection, { inputs: [GIVEN, { ...GIVEN, mimeType: "image/jpeg" }] });
  const [request] = server.requests;
  expect(request?.path).toBe("/images/edits");
  expect(request?.fields).toMatchObject({ model: "gpt-image-1", prompt: "a red kite", n: "1" });
  expect(request?.files.map(({ field, mimeType }) => `${field} ${mimeType}`)).toEqual(["image[] image/png", "image[] image/jpeg"]);
  expect(Buffer.from(request?.files[0]?.bytes ?? [])).toEqual(GIVEN.bytes);
});

test("a model that changes no images is not asked to", async () => {
  const connection = await connect("openai", { model: "dall-e-3" });
  expect((await failure(generate(connection, { inputs: [GIVEN] }))).message).toContain("models.imageGeneration");
  expect(server.requests).toEqual([]);
  answerImages(1);
  await generate(connection, { count: 3, size: "2:3" });
  expect(server.requests[0]?.fields).toMatchObject({ n: 1, size: "1024x1792", response_format: "b64_json" });
});

test("images are made and changed at Google, with its aspects", async () => {
  const connection = await connect("google");
  answerGoogle([{ text: "Here it is." }, { inlineData: { mimeType: "image/png", data: PICTURE.toString("base64") } }]);
  const { images, usage } = await generate(connection, { inputs: [GIVEN], size: "1920x1080" });
  expect(images.map((image) => Buffer.from(image))).toEqual([PICTURE]);
  expect(usage).toMatchObject({ input: 5, output: 1290 });
  expect(server.requests[0]).toMatchObject({
    path: "/models/gemini-2.5-flash-image:generateContent",
    fields: {
      contents: [
        {
          parts: [{ text: "a red kite" }, { inlineData: { mimeType: "image/png", data: GIVEN.bytes.toString("base64") } }],
        },
      ],
      generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9" } },
    },
  });
});

test("a refusal by policy is told from other failures, at OpenAI and at Google", async () => {
  const openai = await connect("openai");
  const message = "Your request was rejected by the safety system.";
  server.respond(() => ({
    type: "json",
    status: 400,
    body: { error: { message, type: "image_generation_user_error", code: "moderation_blocked" } },
  }));
  const refused = await failure(generate(openai));
  expect(refused).toMatchObject({ code: "filtered", status: 400 });
  expect(refused.message).toContain(message);
  await server[Symbol.asyncDispose]();
  const google = await connect("google");
  answerGoogle([], "IMAGE_SAFETY");
  expect(await failure(generate(google))).toMatchObject({ code: "filtered" });
  server.respond(() => ({ type: "json", body: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } } }));
  expect(await failure(generate(google))).toMatchObject({ code: "filtered" });
  answerGoogle([{ text: "I would rather talk about kites." }]);
  expect((await failure(generate(google))).message).toContain("it made no image");
});

test("failures of the provider are typed errors that name no key", async () => {
  const connection = await connect("openai");
  const wrongKey = await failure(generate({ ...connection, apiKey: "sk-wrong-key-1234567" }));
  expect(wrongKey.code).toBe("unauthorized");
  expect(wrongKey.message).not.toContain("sk-wrong-key");
  server.respond(() => ({ type: "json", status: 500, body: { error: { message: "broken" } } }));
  expect((await failure(generate(connection))).code).toBe("server");
  server.respond(() => ({ type: "json", status: 429, body: { error: { message: "slow down", type: "rate_limit_error" } } }));
  expect((await failure(generate(connection))).code).toBe("rate-limited");
  server.respond(() => ({ type: "json", body: { created: 1, data: [{ url: "https://example.com/a.png" }] } }));
  expect((await failure(generate(connection))).code).toBe("truncated");
  server.respond(() => ({ type: "page", html: "<h1>Welcome</h1>" }));
  expect((await failure(generate(connection))).message).toContain("baseUrl");
});

test("a request ends when the signal fires", async () => {
  const connection = await connect("openai");
  server.respond(() => ({ type: "silence" }));
  const stop = new AbortController();
  const failed = failure(generate(connection, {}, stop.signal));
  await server.arrived(1);
  stop.abort();
  expect((await failed).code).toBe("aborted");
});

test("what makes no images says which key to set, before anything is sent", async () => {
  const connection = await connect("openai");
  for (const api of ["anthropic-messages", "mistral", "demo"] as const)
    expect((await failure(generate({ ...connection, api }))).message).toContain("models.imageGeneration");
  expect(imageModelProblem({ api: "google-generative-ai", model: "imagen-4" })).toContain("gemini-");
  expect(imageModelProblem(connection)).toBeUndefined();
  expect(server.requests).toEqual([]);
});
