import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

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

const upload = async (bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${running.gateway.url}/uploads`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}`, ...headers },
    body: Buffer.from(bytes),
  });

/** The status of an upload without a declared length, for a client that reads no answer before it has sent everything. */
const statusOfChunks = async (chunk: Buffer, count: number): Promise<number | undefined> => {
  const headers = { authorization: `Bearer ${running.token}` };
  const client = request(`${running.gateway.url}/uploads`, { method: "POST", headers });
  const answered = once(client, "response") as Promise<[IncomingMessage]>;
  // A connection that is cut off is told by `answered` alone.
  answered.catch(() => undefined);
  client.on("error", () => undefined);
  for (let sent = 0; sent < count; sent += 1) await new Promise((resolve) => client.write(chunk, resolve));
  client.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
};

const png = async (): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer();

test("an image is stored under an unguessable name, and stays until a turn has it", async () => {
  const answer = await upload(await png(), { "content-type": "text/plain" });
  expect(answer.status).toBe(201);
  const { ref, mimeType } = (await answer.json()) as { readonly ref: string; readonly mimeType: string };
  expect([ref, mimeType]).toEqual([expect.stringMatching(/^upload:[0-9a-f]{32}$/), "image/png"]);
  const { uploads } = running.gateway.engine.parts.media;
  expect(Buffer.from((await uploads.read(ref)) ?? [])).toEqual(await png());
  for (const unknown of ["upload:../../secret", `upload:${"0".repeat(32)}`, ref.slice("upload:".length)])
    expect(await uploads.read(unknown)).toBeUndefined();
  await uploads.remove([{ kind: "image", ref }]);
  expect(await uploads.read(ref)).toBeUndefined();
});

test("a file of another type is told by its content, and goes into a conversation as such", async () => {
  const words = Buffer.from("The first line.\n");
  const answer = await upload(words, { "content-type": "image/png" });
  expect(answer.status).toBe(201);
  const { ref, kind, mimeType } = (await answer.json()) as { readonly ref: string; readonly kind: "file"; readonly mimeType: string };
  expect([kind, mimeType]).toEqual(["file", "text/plain"]);
  const wav = Buffer.concat([Buffer.from("RIFF\u0024\0\0\0WAVEfmt "), Buffer.alloc(40)]);
  expect(await (await upload(wav)).json()).toMatchObject({ kind: "audio" });
  expect(Buffer.from((await running.gateway.engine.parts.media.uploads.read(ref)) ?? [])).toEqual(words);
});

test("broken, empty, oversized and unauthorised uploads are refused", async () => {
  const image = await png();
  const cases: readonly (readonly [Promise<Response>, number])[] = [
    [upload(Buffer.alloc(0)), 400],
    [upload(image.subarray(0, 40)), 400],
    [upload(Buffer.alloc(20_000_001)), 413],
    [upload(image, { authorization: "Bearer wrong" }), 401],
    [upload(image, { origin: "https://elsewhere.example" }), 403],
  ];
  for (const [answer, status] of cases) {
    const response = await answer;
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/\.$/) } });
  }
});

test("an upload without a length that is too large is read to its end and refused, not cut off", async () => {
  expect(await statusOfChunks(Buffer.alloc(1_000_000), 30)).toBe(413);
});
