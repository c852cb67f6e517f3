import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";
import { png } from "./png.ts";

type TransportType = "webhook" | "websocket";

const REPORT = Buffer.from("quarter,sales\n1,4711\n");
const CHART = png(60, 40, [30, 120, 30]);
/** The first page of an Ogg file with an Opus stream, as recorders write it. */
const VOICE = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(20), Buffer.from("\x01\x13OpusHead\x01\x01"), Buffer.alloc(64)]);

async function startScene(type: TransportType): Promise<FeishuScene> {
  const scene = await startFeishuScene(undefined, type === "websocket" ? { account: { transport: { type } } } : {});
  if (type === "websocket") await scene.feishu.longConnection.connected();
  return scene;
}

let messages = 0;

/** A message of the user, over the transport of the scene. */
async function say(
  scene: FeishuScene,
  type: TransportType,
  message: { readonly messageType: string; readonly content: object },
): Promise<string> {
  const { feishu, product } = scene;
  messages += 1;
  const messageId = `om_${messages.toString(16).padStart(32, "0")}`;
  feishu.addInbound({ messageId, chatId: "oc_dm" });
  const event = feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", senderOpenId: "ou_zhangsan", messageId, ...message });
  if (type === "websocket") expect(await feishu.longConnection.deliver(event)).toBe(200);
  else expect((await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event))).status).toBe(200);
  return messageId;
}

/** All texts in the last request. */
function lastWords(scene: FeishuScene): string {
  const turns = (scene.model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly { readonly content: unknown }[];
  return JSON.stringify(turns.at(-1)?.content ?? "");
}

describe.each<TransportType>(["webhook", "websocket"])("files of a Feishu conversation over the %s transport", (type) => {
  test("are sent as a file, an image and a voice message, after the text, byte for byte", async () => {
    await using scene = await startScene(type);
    const files = { "report.csv": REPORT, "chart.png": CHART, "voice.ogg": VOICE };
    for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(scene.workspace, name), bytes);
    scene.model.respond(() => sayText("都在这里。\nMEDIA:report.csv\nMEDIA:chart.png\nMEDIA:voice.ogg"));
    await say(scene, type, { messageType: "text", content: { text: "把结果发给我" } });
    await scene.waitForSent(4);
    const { sent, uploads } = scene.feishu;
    expect(sent.map(({ messageType }) => messageType)).toEqual(["text", "file", "image", "audio"]);
    expect(sent[0]?.content).toEqual({ text: "都在这里。" });
    const shown = sent.slice(1).map(({ content }) => {
      const { file_key: file, image_key: image } = content as { readonly file_key?: string; readonly image_key?: string };
      const upload = uploads.get(file ?? image ?? "");
      return [upload?.fileName, Buffer.from(upload?.bytes ?? [])];
    });
    expect(shown).toEqual([
      ["report.csv", REPORT],
      ["chart.png", CHART],
      ["voice.ogg", VOICE],
    ]);
    // Each was uploaded once.
    expect(uploads.size).toBe(3);
  });

  test("that the platform does not accept are named, and the conversation continues", async () => {
    await using scene = await startScene(type);
    await writeFile(path.join(scene.workspace, "report.csv"), REPORT);
    scene.feishu.failNext({ type: "refuse", status: 400, code: 230055, message: "The type of file upload does not match." });
    scene.model.respond(() => sayText("MEDIA:report.csv"));
    await say(scene, type, { messageType: "text", content: { text: "把结果发给我" } });
    await scene.waitForSent(1);
    scene.model.respond(() => sayText("好。"));
    await say(scene, type, { messageType: "text", content: { text: "谢谢" } });
    await scene.waitForSent(2);
    expect(scene.feishu.sent.map(({ content }) => content)).toEqual([
      { text: "📎 report.csv (this file could not be sent)" },
      { text: "好。" },
    ]);
  });

  test("arrive with their bytes, of any kind", async () => {
    await using scene = await startScene(type);
    const incoming = [
      { messageType: "file", content: { file_key: "file_in_1", file_name: "report.csv" }, key: "file_in_1", bytes: REPORT },
      { messageType: "image", content: { image_key: "img_in_1" }, key: "img_in_1", bytes: CHART },
      { messageType: "audio", content: { file_key: "file_in_2", duration: 1500 }, key: "file_in_2", bytes: VOICE },
    ];
    scene.model.respond(() => sayText("收到。"));
    for (const [index, { messageType, content, key, bytes }] of incoming.entries()) {
      const messageId = `om_${(messages + 1).toString(16).padStart(32, "0")}`;
      const contentType = "application/octet-stream";
      scene.feishu.addResource({ messageId, fileKey: key, contentType, fileName: "in", bytes });
      await say(scene, type, { messageType, content });
      await scene.waitForSent(index + 1);
      const file = /file: (\/[^)]*)\)\]/.exec(lastWords(scene))?.[1] ?? "";
      expect([messageType, await readFile(file)]).toEqual([messageType, bytes]);
    }
    expect(scene.model.violations).toEqual([]);
  });
});
