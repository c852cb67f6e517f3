import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeTelegram, telegramMessageUpdate, telegramPressUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramMessage, TelegramMessageInput, TelegramUpdate } from "@factotum/testing-channels";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

export const OWNER = 1001;
export const FORUM = -1_001_000_000_001;
export const SECRET = "the_secret-of-the-webhook";

/** A bot on the platform, the product with the channel that runs the platform's adapter, one agent, and a scripted model. */
export interface ChatSdkScene extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** A message of the owner, in the direct chat by default; it is acknowledged. `extra` is added to the platform's form. */
  say(text: string, more?: Partial<TelegramMessageInput>, extra?: Readonly<Record<string, unknown>>): Promise<TelegramUpdate>;
  /** Posts an update, also a second time; it is acknowledged. */
  deliver(update: TelegramUpdate): Promise<void>;
  /** The owner presses a button of a message; it is acknowledged. */
  press(message: TelegramMessage, label: string): Promise<void>;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the bot. */
  shown(condition: (sent: readonly TelegramMessage[]) => boolean): Promise<readonly TelegramMessage[]>;
}

/** Starts the scene. `account` replaces keys of the account. */
export async function startChatSdkScene(account: object = {}, options: object = {}): Promise<ChatSdkScene> {
  const telegram = await FakeTelegram.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-chat-sdk-"));
  const [workspace, home] = [path.join(folder, "agent"), path.join(folder, "home")];
  await mkdir(workspace);
  await installExtension(home, "chat-sdk");
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const config = {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`chat-sdk:${OWNER}`] },
    channels: {
      "chat-sdk": {
        adapter: "@chat-adapter/telegram",
        options: { mode: "webhook", botToken: telegram.app.token, secretToken: SECRET, apiUrl: telegram.baseUrl, ...options },
        allowFrom: [String(OWNER)],
        groupPolicy: "open",
        ...account,
      },
    },
  };
  const start = async (): Promise<Product> => startProduct({ config, home });
  let product = await start();
  const deliver = async (update: TelegramUpdate): Promise<void> => {
    const url = `${product.url}/channels/chat-sdk/default`;
    const { status } = await fetch(telegramWebhookRequest(url, update, { secretToken: SECRET }));
    if (status !== 200) throw new Error(`answered with ${status}`);
  };
  return {
    telegram,
    model,
    workspace,
    get product() {
      return product;
    },
    async say(text, more = {}, extra = {}) {
      const message = telegram.addMessage({ chatId: OWNER, fromId: OWNER, text, ...more });
      const update = telegramMessageUpdate(telegram, message, extra);
      await deliver(update);
      return update;
    },
    deliver,
    async press(message, label) {
      const data = message.buttons.flat().find(({ text }) => text === label)?.callback_data;
      if (data === undefined) throw new Error(`there is no button "${label}"`);
      await deliver(telegramPressUpdate(telegram, message, { fromId: OWNER, data }));
    },
    async killAndStart() {
      await product.end("SIGKILL");
      product = await start();
    },
    shown: (condition) => untilShown(telegram, condition),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await telegram[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
