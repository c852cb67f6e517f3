import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { AgentTool, ImageOrder, MadeFile, MediaModels } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { webAccess } from "../../test/web-rig.ts";
import { createMediaTools } from "./create-media-tools.ts";

const PICTURE = Buffer.from("\x89PNG a picture", "latin1");
const VOICE: MadeFile = { bytes: Buffer.from("OggS"), mimeType: "audio/ogg", extension: "ogg" };
const IMAGE: MadeFile = { bytes: PICTURE, mimeType: "image/png", extension: "png" };

/** Records what the tools ask for. */
class FakeMedia implements MediaModels {
  readonly looks: { readonly images: readonly string[]; readonly question: string }[] = [];
  readonly orders: ImageOrder[] = [];
  readonly spoken: string[] = [];
  made: Awaited<ReturnType<MediaModels["makeImages"]>> = { type: "done", result: { files: [IMAGE] } };

  async lookAt(images: readonly Uint8Array[], question: string): ReturnType<MediaModels["lookAt"]> {
    this.looks.push({ images: images.map((image) => Buffer.from(image).toString("latin1")), question });
    return { type: "done", result: "A red kite." };
  }
  async makeImages(order: ImageOrder): ReturnType<MediaModels["makeImages"]> {
    this.orders.push(order);
    return this.made;
  }
  async speak(text: string, { voice }: { readonly voice?: string }): ReturnType<MediaModels["speak"]> {
    if (voice === "nobody") return { type: "failed", message: "There is no voice nobody." };
    this.spoken.push(`${voice ?? "usual"}: ${text}`);
    return { type: "done", result: VOICE };
  }
}

let rig: ToolRig;
let media: FakeMedia;
let server: Server;
let address: string;
beforeEach(async () => {
  rig = await createToolRig({ roots: (base) => [{ type: "media", path: path.join(base, "received") }] });
  media = new FakeMedia();
  server = createServer((request, response) => {
    if (request.url === "/kite.png") response.end(PICTURE);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await rig[Symbol.asyncDispose]();
});

function tool(name: string, { makesImages = true, speaks = true } = {}): AgentTool {
  const { pages: _pages, ...web } = webAccess({});
  const found = createMediaTools({ media, files: rig.files, web, makesImages, speaks }).find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

test("only what is configured is there", () => {
  const { pages: _pages, ...web } = webAccess({});
  const names = (makesImages: boolean, speaks: boolean): readonly string[] =>
    createMediaTools({ media, files: rig.files, web, makesImages, speaks }).map(({ name }) => name);
  expect(names(false, false)).toEqual(["image"]);
  expect(names(true, true)).toEqual(["image", "image_generate", "tts"]);
});

test("image asks about files and addresses, in their order", async () => {
  await rig.put("workspace/own.png", "own");
  const received = await rig.put("received/theirs.png", "theirs");
  const result = await rig.call(tool("image"), { images: ["own.png", received, `${address}/kite.png`], question: "What is it?" });
  expect(textOf(result)).toBe("A red kite.");
  expect(media.looks).toEqual([{ images: ["own", "theirs", PICTURE.toString("latin1")], question: "What is it?" }]);
  expect(tool("image").traits).toMatchObject({ effect: "read", output: "untrusted", network: true });
});

test("image refuses files outside, addresses that are not public and what is missing, and asks nothing then", async () => {
  const secret = await rig.put("secret.png", "secret");
  for (const named of [
    secret,
    "missing.png",
    `${address}/other.png`,
    " http://10.0.0.1/a.png",
    "https://[::1]/a.png",
    "file:///etc/hostname",
  ]) {
    const result = await rig.call(tool("image"), { images: [named] });
    expect(result.isError, named).toBe(true);
  }
  const guest = await rig.call(tool("image"), { images: [`${address}/kite.png`] }, { run: { owner: false } });
  expect(textOf(guest)).toContain("was not fetched");
  expect(media.looks).toEqual([]);
});

test("image takes no more bytes at once than memory allows", async () => {
  await rig.put("workspace/large.png", new Uint8Array(16_000_000));
  const result = await rig.call(tool("image"), { images: Array.from({ length: 4 }, () => "large.png") });
  expect(textOf(result)).toContain("more than 60 MB together");
  const none = await rig.call(tool("image"), { images: [] });
  expect(none.isError).toBe(true);
});

test("image_generate saves the images in the workspace, and says how to send them", async () => {
  await rig.put("workspace/photo.jpg", "photo");
  const order = { prompt: "add a kite", size: "3:2", count: 2, images: ["photo.jpg"] };
  const result = await rig.call(tool("image_generate"), order);
  const [, saved = ""] = /Saved as (media\/image-[0-9a-f]{12}\.png) \(image\/png, 14 bytes\)/.exec(textOf(result)) ?? [];
  expect(await readFile(path.join(rig.workspace, saved))).toEqual(PICTURE);
  expect(textOf(result)).toContain("MEDIA:");
  expect(media.orders[0]).toMatchObject({ prompt: "add a kite", size: "3:2", count: 2 });
  expect(Buffer.from(media.orders[0]?.inputs[0] ?? []).toString()).toBe("photo");
  expect(result.details).toEqual({ files: [{ path: saved, mimeType: "image/png", sizeBytes: 14 }] });
});

test("image_generate reports refusals and missing images, and requests no address", async () => {
  media.made = { type: "failed", message: "The content filter stopped it. Describe it differently." };
  const refused = await rig.call(tool("image_generate"), { prompt: "x" });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toContain("Describe it differently");
  media.made = { type: "done", result: { files: [IMAGE], problem: "the model is overloaded" } };
  expect(textOf(await rig.call(tool("image_generate"), { prompt: "x", count: 3 }))).toContain("1 of 3 were made: the model is overloaded");
  for (const wrong of [{ count: 5 }, { size: "huge" }, { size: "0x10" }, { images: [`${address}/kite.png`] }])
    expect(await rig.call(tool("image_generate"), { prompt: "x", ...wrong })).toMatchObject({ isError: true });
  expect(media.orders).toHaveLength(2);
});

test("an image made of somebody else's, or in a tainted turn, is written as text of others", async () => {
  const written: boolean[] = [];
  await using watched = await createToolRig({
    roots: (base) => [{ type: "media", path: path.join(base, "received") }],
    provenance: {
      beforeWrite: async ({ tainted }) => {
        written.push(tainted);
        return { type: "allow" };
      },
      instructionAt: async () => undefined,
      isUntrusted: async () => false,
    },
  });
  const received = await watched.put("received/theirs.png", "theirs");
  const { pages: _pages, ...web } = webAccess({});
  const [, make, speak] = createMediaTools({ media, files: watched.files, web, makesImages: true, speaks: true });
  if (make === undefined || speak === undefined) throw new Error("a tool is missing");
  await watched.call(make, { prompt: "x" });
  await watched.call(make, { prompt: "x", images: [received] });
  await watched.call(speak, { text: "x" }, { tainted: true });
  expect(written).toEqual([false, true, true]);
});

test("tts saves the recording, in the given voice, and passes a failure on", async () => {
  const result = await rig.call(tool("tts"), { text: "Good morning", voice: "alloy" });
  expect(textOf(result)).toMatch(/^Saved as media\/speech-[0-9a-f]{12}\.ogg \(audio\/ogg, 4 bytes\)\./);
  await rig.call(tool("tts"), { text: "Hello" });
  expect(media.spoken).toEqual(["alloy: Good morning", "usual: Hello"]);
  const failed = await rig.call(tool("tts"), { text: "x", voice: "nobody" });
  expect(failed).toMatchObject({ isError: true });
  expect(textOf(failed)).toBe("There is no voice nobody.");
});

test("nothing is made, or paid for, where its file could not be kept", async () => {
  const run = { sandbox: { workspaceAccess: "ro", shared: false } } as const;
  for (const [name, args] of [
    ["image_generate", { prompt: "x" }],
    ["tts", { text: "x" }],
  ] as const) {
    const result = await rig.call(tool(name), args, { run });
    expect(result.isError, name).toBe(true);
    expect(textOf(result), name).toContain("workspace read-only");
  }
  expect([media.orders, media.spoken]).toEqual([[], []]);
});

test("what the tools make does not count as a change elsewhere: they reach the owner's services alone", () => {
  for (const name of ["image_generate", "tts"])
    expect(tool(name).traits).toEqual({
      effect: "write",
      idempotent: false,
      output: "trusted",
      network: true,
      ownServices: true,
      parallel: false,
    });
});
