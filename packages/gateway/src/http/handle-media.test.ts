import { randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const SESSION = "agent:main:main";
const OTHER = "agent:main:webchat:direct:other";

let model: AnthropicServer;
let running: TestGateway;
beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Seen."));
  running = await startTestGateway({ patch: withModel(model.baseUrl) });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await model.close();
});

const png = async (): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer();

const get = async (target: string, token = running.token): Promise<Response> =>
  fetch(`${running.gateway.url}/media/${target}`, { headers: { authorization: `Bearer ${token}` } });

/** A message with files, as the gateway's own clients hand it in. */
async function say(sessionKey: string, files: readonly Buffer[]): Promise<void> {
  const { engine } = running.gateway;
  const { uploads } = engine.parts.media;
  const attachments = await Promise.all(
    files.map(async (bytes, index) => ({ kind: "image" as const, ref: await uploads.put(bytes), fileName: `${index}.png` })),
  );
  const id = randomUUID();
  const message: MsgContext = {
    origin: { channel: "http", accountId: "default", conversation: { kind: "direct", id: sessionKey } },
    eventId: id,
    messageId: messageId(id),
    timestampMs: Date.now(),
    event: { type: "message" },
    sender: { id: "owner", isBot: false },
    text: "look",
    mentionsBot: true,
    attachments,
  };
  await engine.submit(message, { owner: true, kind: "user", sessionKey });
  await engine.idle();
}

/** Sends a message with files and resolves with the conversation's entry for it. */
async function sayWith(...files: readonly Buffer[]): Promise<readonly { readonly id: string }[]> {
  await say(SESSION, files);
  const { entries } = await running.gateway.engine.sessions.history(SESSION, { limit: 20 });
  const said = entries.findLast((entry) => entry.type === "user");
  return said?.type === "user" ? (said.files ?? []) : [];
}

test("an image of a message is served with its own type, and named in the history", async () => {
  const bytes = await png();
  const files = await sayWith(bytes);
  expect(files).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{32}$/) as string, kind: "image", name: "0.png" }]);
  const answer = await get(`${files[0]?.id ?? ""}?session=${SESSION}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("image/png");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
});

test("clients read a file part by part, of that conversation alone", async () => {
  const bytes = randomBytes(300 * 1024);
  const [file] = await sayWith(bytes);
  const id = file?.id ?? "";
  using client = await TestClient.connect(running.gateway.url, running.token);
  const first = await client.call("attachments.read", { sessionKey: SESSION, id });
  expect(first).toMatchObject({ sizeBytes: bytes.length, next: 256 * 1024 });
  const second = await client.call("attachments.read", { sessionKey: SESSION, id, offset: first.next ?? 0 });
  expect(second).not.toHaveProperty("next");
  expect(second).not.toHaveProperty("imageType");
  expect(Buffer.concat([first, second].map(({ data }) => Buffer.from(data, "base64")))).toEqual(bytes);
  const [image] = await sayWith(await png());
  expect(await client.call("attachments.read", { sessionKey: SESSION, id: image?.id ?? "" })).toMatchObject({ imageType: "image/png" });
  await say(OTHER, []);
  await expect(client.call("attachments.read", { sessionKey: OTHER, id })).rejects.toThrow("not-found");
  await expect(client.call("attachments.read", { sessionKey: SESSION, id: "../../records" })).rejects.toThrow("not-found");
});

test("a file that is not an image is a download, whatever its name", async () => {
  const files = await sayWith(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"));
  const answer = await get(`${files[0]?.id ?? ""}?session=${SESSION}`);
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toBe("attachment");
});

test("without a token, for another conversation, a path or a removed file nothing is served", async () => {
  const [file] = await sayWith(await png());
  const id = file?.id ?? "";
  await say(OTHER, []);
  expect((await get(`${id}?session=${SESSION}`, "wrong")).status).toBe(401);
  for (const target of [
    `${id}?session=${OTHER}`,
    id,
    `${id}?session=agent:main:nobody`,
    `..%2f..%2frecords%2f${id}.json?session=${SESSION}`,
    `${id}%00?session=${SESSION}`,
    `${id}.png?session=${SESSION}`,
  ])
    expect((await get(target)).status, target).toBe(404);
  await rm(path.join(running.home, "media", "inbound"), { recursive: true });
  const answer = await get(`${id}?session=${SESSION}`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "file_not_found" } }]);
});
