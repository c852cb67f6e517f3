import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import type { Product } from "@factotum/testing-product";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";

/** One person in a chat and a model, for a product with a failing disk. */
export interface DiskScene extends AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  /** The product's configuration. */
  readonly config: object;
  /** Pushes the person's message of this number; resolves with the status of the answer. */
  readonly say: (product: Product, text: string, number: number) => Promise<number>;
}

/** The platform's id of the person's message of this number. */
export function messageIdOf(number: number): string {
  return `om_${String(number).padStart(32, "0")}`;
}

/** Sets both up. */
export async function startDiskScene(): Promise<DiskScene> {
  const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
  const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  return {
    feishu,
    model,
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(feishu, USER),
    },
    say: async (product, text, number) => {
      const messageId = messageIdOf(number);
      feishu.addInbound({ messageId, chatId: CHAT });
      const content = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: USER, messageId } as const;
      const request = feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, content));
      return (await fetch(request)).status;
    },
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await feishu[Symbol.asyncDispose]();
    },
  };
}
