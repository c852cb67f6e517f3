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

/** How updates reach the product. */
export type TelegramSceneTransport = "polling" | "webhook";

export const OWNER = 1001;
export const FORUM = -1_001_000_000_001;
const SECRET = "the_secret-of-the-webhook";
const PUBLIC_URL = "https://assistant.example.com";

/** A bot on the platform, the product with the installed channel and one agent, and a scripted model. */
export interface TelegramScene extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** A message of the owner, in the direct chat by default; it is acknowledged. `extra` is added to the platform's form. */
  say(text: string, more?: Partial<TelegramMessageInput>, extra?: Readonly<Record<string, unknown>>): Promise<TelegramUpdate>;
  /** Passes an update, also a second time; it is acknowledged. */
  deliver(update: TelegramUpdate): Promise<void>;
  /** The owner presses a button of a message; it is acknowledged. */
  press(message: TelegramMessage, label: string): Promise<void>;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the bot. */
  shown(condition: (sent: readonly TelegramMessage[]) => boolean): Promise<readonly TelegramMessage[]>;
}

/** Starts the scene. */
export async function startTelegramScene(transport: TelegramSceneTransport, account: object = {}): Promise<TelegramScene> {
  const telegram = await FakeTelegram.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-telegram-"));
  const workspace = path.join(folder, "agent");
  const home = path.join(folder, "home");
  await mkdir(workspace);
  await installExtension(home, "telegram");
  const config = sceneConfig(telegram, transport, { workspace, account, modelUrl: model.baseUrl });
  const start = async (): Promise<Product> => {
    const { opened } = telegram.updates;
    const started = await startProduct({ config, home });
    if (transport === "polling") await telegram.updates.connected(opened + 1);
    else await telegram.request(({ method }) => method === "setWebhook");
    return started;
  };
  let product = await start();
  const deliver = async (update: TelegramUpdate): Promise<void> => {
    if (transport === "polling") {
      if ((await telegram.updates.deliver(update)) !== "acknowledged") throw new Error("not acknowledged");
      return;
    }
    const url = telegram.app.webhook?.url.replace(PUBLIC_URL, product.url) ?? "";
    const { status } = await fetch(telegramWebhookRequest(url, update, { secretToken: telegram.app.webhook?.secretToken }));
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

function sceneConfig(
  { app, baseUrl }: FakeTelegram,
  transport: TelegramSceneTransport,
  { workspace, account, modelUrl }: { readonly workspace: string; readonly account: object; readonly modelUrl: string },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl);
  return {
    ...(transport === "webhook" && { gateway: { publicUrl: PUBLIC_URL } }),
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: [`telegram:${OWNER}`] },
    channels: {
      telegram: {
        token: app.token,
        baseUrl,
        transport: transport === "polling" ? { type: "polling" } : { type: "webhook", secretToken: SECRET },
        allowFrom: [String(OWNER)],
        groupPolicy: "open",
        ...account,
      },
    },
  };
}
