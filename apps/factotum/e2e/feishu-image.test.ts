import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";
import { png } from "./png.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly media_type: string; readonly data: string };
}

/** A user's message with images between its lines, and its files on the platform. */
async function send(scene: FeishuScene, messageId: string, pictures: readonly (readonly [key: string, bytes: Buffer])[]): Promise<void> {
  const { feishu, product } = scene;
  for (const [fileKey, bytes] of pictures)
    feishu.addResource({ messageId, fileKey, contentType: "application/octet-stream", fileName: "../../../x.jpg", bytes });
  feishu.addInbound({ messageId, chatId: "oc_dm" });
  const event = feishuMessageEvent(feishu.app, {
    chatId: "oc_dm",
    chatType: "p2p",
    messageType: "post",
    content: {
      title: "",
      content: [[{ tag: "text", text: "这两张图有什么不同？" }], ...pictures.map(([key]) => [{ tag: "img", image_key: key }])],
    },
    senderOpenId: "ou_zhangsan",
    messageId,
  });
  const response = await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
  expect(response.status).toBe(200);
}

function lastBlocks(scene: FeishuScene): readonly Block[] {
  const messages = (scene.model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly { readonly content: readonly Block[] }[];
  return messages.at(-1)?.content ?? [];
}

describe("a Feishu user sends images", () => {
  test("the model gets them in order, the large one downscaled, and both are stored", async () => {
    await using scene = await startFeishuScene();
    scene.model.respond(() => sayText("大小和颜色不同。"));
    const large = png(2_400, 600, [200, 30, 30]);
    const small = png(80, 60, [30, 30, 200]);
    await send(scene, "om_1123456789abcdef1123456789abcdef", [
      ["img_large", large],
      ["img_small", small],
    ]);
    await scene.waitForSent(1);

    const images = lastBlocks(scene).flatMap(({ source }) => (source === undefined ? [] : [source]));
    expect(images.map(({ media_type: type }) => type)).toEqual(["image/png", "image/png"]);
    const [first, second] = images.map(({ data }) => Buffer.from(data, "base64"));
    expect([first?.readUInt32BE(16), first?.readUInt32BE(20)]).toEqual([1_200, 300]);
    expect(second).toEqual(small);

    const text = lastBlocks(scene)
      .map((block) => block.text ?? "")
      .join("\n");
    const files = [...text.matchAll(/^\[media attached \d\/2: media:\/\/inbound\/[0-9a-f]{32} \(image\/png, .*file: (\/[^)]*)\)\]$/gm)];
    expect(files).toHaveLength(2);
    for (const [index, [, file = ""]] of files.entries()) {
      expect(path.dirname(path.dirname(file))).toBe(path.join(scene.product.home, "media", "inbound"));
      expect(await readFile(file)).toEqual([large, small][index]);
    }
    expect(scene.model.violations).toEqual([]);
  });

  test("an image that the platform does not return becomes a note, and the answer comes", async () => {
    await using scene = await startFeishuScene();
    scene.model.respond(() => sayText("我没收到图。"));
    const messageId = "om_2123456789abcdef2123456789abcdef";
    scene.feishu.addInbound({ messageId, chatId: "oc_dm" });
    const event = feishuMessageEvent(scene.feishu.app, {
      chatId: "oc_dm",
      chatType: "p2p",
      messageType: "image",
      content: { image_key: "img_gone" },
      senderOpenId: "ou_zhangsan",
      messageId,
    });
    await fetch(feishuWebhookRequest(scene.feishu.app, `${scene.product.url}/channels/feishu/default`, event));
    await scene.waitForSent(1);
    const text = lastBlocks(scene)
      .map((block) => block.text ?? "")
      .join("\n");
    expect(text).toMatch(/^\[media attached: file \(could not be fetched/m);
    expect(text).toContain("[User sent media without caption]");
    expect(scene.model.violations).toEqual([]);
  });
});

test("the bundle decodes images without any library of the machine", async () => {
  const worker = new Worker(new URL("../dist/image-worker.mjs", import.meta.url), { workerData: { codec: "wasm" }, env: {}, execArgv: [] });
  try {
    const job = { orientation: 6, maxSidePx: 100, maxBytes: 50_000, losslessMaxBytes: 50_000, maxPixels: 1_000_000 };
    worker.postMessage({ ...job, bytes: png(400, 200, [9, 9, 9]) });
    const [result] = (await once(worker, "message")) as [{ readonly type: string; readonly mimeType: string; readonly bytes: Uint8Array }];
    expect(result).toMatchObject({ type: "encoded", mimeType: "image/png" });
    const written = Buffer.from(result.bytes);
    expect([written.readUInt32BE(16), written.readUInt32BE(20)]).toEqual([50, 100]);
  } finally {
    await worker.terminate();
  }
});
