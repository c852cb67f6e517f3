import { readdir } from "node:fs/promises";
import path from "node:path";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly media_type: string; readonly data: string };
}

let model: AnthropicServer;
let running: TestGateway;
beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Seen."));
  running = await startTestGateway({ patch: withModel(model.baseUrl) });
});
afterEach(async () => {
  expect(model.violations).toEqual([]);
  await running[Symbol.asyncDispose]();
  await model.close();
});

async function picture(background: string, format: "png" | "jpeg" | "gif" | "webp" = "png"): Promise<string> {
  return (
    await sharp({ create: { width: 8, height: 8, channels: 3, background } })
      .toFormat(format)
      .toBuffer()
  ).toString("base64");
}

const image = (base64: string, mimeType = "image/png"): object => ({
  type: "image_url",
  image_url: { url: `data:${mimeType};base64,${base64}` },
});
const words = (text: string): object => ({ type: "text", text });

async function post(messages: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${running.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "factotum", messages }),
  });
}

function userBlocks(): readonly (readonly Block[])[] {
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly {
    readonly role: string;
    readonly content: readonly Block[];
  }[];
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

const shown = (blocks: readonly Block[] = []): unknown[] =>
  blocks.flatMap(({ source }) => (source === undefined ? [] : [[source.media_type, source.data]]));
const waiting = async (): Promise<readonly string[]> => readdir(path.join(running.home, "media", "uploads", "waiting"));

test("images of the new message are sent in order, with their actual type; nothing is left after the turn", async () => {
  const [png, jpeg, gif, webp] = await Promise.all([
    picture("red"),
    picture("lime", "jpeg"),
    picture("blue", "gif"),
    picture("red", "webp"),
  ]);
  const answer = await post([
    { role: "user", content: [image(png), words("first"), image(jpeg, "image/webp")] },
    { role: "user", content: [image(gif), words("second"), image(webp, "IMAGE/X-UNKNOWN")] },
  ]);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-factotum-ignored")).toBeNull();
  expect(shown(userBlocks()[0])).toEqual([
    ["image/png", png],
    ["image/jpeg", jpeg],
    ["image/gif", gif],
    ["image/webp", webp],
  ]);
  expect(userBlocks()[0]?.[0]?.text).toMatch(/first\n\nsecond$/);
  expect(await waiting()).toEqual([]);
});

test("images alone are a message; remote images are named and not fetched", async () => {
  const answer = await post([{ role: "user", content: [image(await picture("red"))] }]);
  expect(answer.status).toBe(200);
  expect(userBlocks()[0]?.[0]?.text).toMatch(/\[User sent media without caption\]$/);
  const elsewhere = { type: "image_url", image_url: { url: "http://127.0.0.1:1/a.png" } };
  const mixed = await post([{ role: "user", content: [words("look"), elsewhere] }]);
  expect(mixed.headers.get("x-factotum-ignored")).toBe("messages.content.image_url");
  expect(shown(userBlocks()[0])).toEqual([]);
  expect((await post([{ role: "user", content: [elsewhere] }])).status).toBe(400);
});

test("images of the request's history become text", async () => {
  const answer = await post([
    { role: "user", content: [words("what is this?"), image(await picture("red"))] },
    { role: "assistant", content: "A square." },
    { role: "user", content: "and its colour?" },
  ]);
  expect(answer.headers.get("x-factotum-ignored")).toBe("messages.content.image_url");
  expect(userBlocks().map(shown)).toEqual([[], []]);
  expect(userBlocks()[0]?.[0]?.text).toBe("what is this?\n[image data removed - already processed by model]");
});

test("invalid, broken and oversized images are refused, and nothing of the request is stored", async () => {
  const png = await picture("red");
  const large = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(20_000_001)]).toString("base64");
  const wide = (
    await sharp({ create: { width: 8_000, height: 7_000, channels: 3, background: "red" } })
      .png()
      .toBuffer()
  ).toString("base64");
  const cases: readonly (readonly [string, number, string])[] = [
    [Buffer.from("plain text").toString("base64"), 400, "invalid_image"],
    [png.slice(0, 60), 400, "invalid_image"],
    ["not base64!", 400, "invalid_image"],
    ["", 400, "invalid_image"],
    [large, 413, "image_too_large"],
    [wide, 413, "image_too_large"],
  ];
  for (const [base64, status, code] of cases) {
    const answer = await post([{ role: "user", content: [image(png), image(base64)] }]);
    expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code, param: "messages.content.image_url" } }]);
  }
  expect(model.requests).toEqual([]);
});

test("a message that waited over a restart still has its images", async () => {
  const png = await picture("red");
  const gate = model.hold();
  const named = { "x-factotum-session": "kept" };
  const first = post([{ role: "user", content: "one" }], named).catch(() => undefined);
  await model.nextRequest();
  const arrived = Promise.withResolvers<void>();
  using _queue = running.gateway.engine.parts.events.subscribe("agent:main:http:kept", (event) => {
    if (event.type === "queue-change" && event.queued === 1) arrived.resolve();
  });
  const second = post([{ role: "user", content: [words("two"), image(png)] }], named).catch(() => undefined);
  await arrived.promise;
  expect(await waiting()).toHaveLength(1);
  await running.stop();
  gate.open();
  await Promise.all([first, second]);
  running = await startTestGateway({ patch: withModel(model.baseUrl), home: running.home });
  await running.gateway.engine.idle();
  expect(shown(userBlocks().at(-1))).toEqual([["image/png", png]]);
  expect(await waiting()).toEqual([]);
});
