import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { startFeishuScene } from "./feishu-scene.ts";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { startTelegramScene } from "./telegram-scene.ts";

/** The owner's direct conversation on a platform, with the assistant behind it. */
export interface QuietScene extends AsyncDisposable {
  readonly model: StrictServer;
  readonly workspace: string;
  readonly home: string;
  /** A message of the owner, as the platform passes it. */
  say(text: string): Promise<void>;
  /** The texts of the assistant that the owner sees, oldest first. */
  shown(): Promise<readonly string[]>;
  /** Everything that was ever shown to the owner, also only while it was written. */
  everShown(): string;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
}

/** Over the webhook of Feishu. */
export async function startQuietFeishu(): Promise<QuietScene> {
  const scene = await startFeishuScene();
  const { feishu, model, workspace } = scene;
  let count = 0;
  return {
    model,
    workspace,
    home: scene.product.home,
    say: async (text) => {
      const messageId = `om_${String((count += 1)).padStart(32, "0")}`;
      const chatId = "oc_dm";
      feishu.addInbound({ messageId, chatId });
      const message = { chatId, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: "ou_zhangsan", messageId } as const;
      await fetch(
        feishuWebhookRequest(feishu.app, `${scene.product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, message)),
      );
    },
    shown: async () => feishu.sent.map(({ content }) => JSON.stringify(content)),
    everShown: () => JSON.stringify(feishu.sent),
    killAndStart: async () => scene.killAndStart(),
    [Symbol.asyncDispose]: async () => scene[Symbol.asyncDispose](),
  };
}

/** Over the webhook of Telegram. */
export async function startQuietTelegram(): Promise<QuietScene> {
  const scene = await startTelegramScene("webhook");
  const { telegram, model, workspace } = scene;
  const sent = async (): Promise<readonly string[]> => (await scene.shown(() => true)).map(({ text }) => text);
  return {
    model,
    workspace,
    home: scene.product.home,
    say: async (text) => void (await scene.say(text)),
    shown: sent,
    everShown: () => JSON.stringify(telegram.requests.map(({ values }) => values)),
    killAndStart: async () => scene.killAndStart(),
    [Symbol.asyncDispose]: async () => scene[Symbol.asyncDispose](),
  };
}

/** Over the WebSocket of the page, which shows what the gateway pushes. */
export async function startQuietWebchat(): Promise<QuietScene> {
  const model = await startSceneModel(ANTHROPIC, []);
  const workspace = await mkdtemp(path.join(tmpdir(), "factotum-quiet-"));
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const config = { agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] }, models: { providers } };
  const pushed: string[] = [];
  let product = await startProduct({ config });
  let client = await watch();
  async function watch(): Promise<RpcClient> {
    const watching = await RpcClient.connect({ url: product.url, token: product.token, version: "test" });
    watching.follow((name, payload) => void (name === "chat" ? pushed.push(JSON.stringify(payload)) : undefined));
    await watching.request("chat.subscribe", {});
    return watching;
  }
  return {
    model,
    workspace,
    home: product.home,
    say: async (text) => void (await client.request("chat.send", { text, idempotencyKey: randomUUID() })),
    shown: async () => {
      const { entries } = await client.request("chat.history", { sessionKey: "agent:main:main" });
      return entries.flatMap((entry) =>
        entry.type === "user" || entry.type === "tool-result" || entry.text === "Heartbeat." ? [] : [entry.text],
      );
    },
    everShown: () => pushed.join("\n"),
    killAndStart: async () => {
      client[Symbol.dispose]();
      await product.end("SIGKILL");
      product = await startProduct({ config, home: product.home });
      client = await watch();
    },
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      await product[Symbol.asyncDispose]();
      await model.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
