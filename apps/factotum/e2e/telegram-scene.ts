import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FakeTelegram, telegramMessageUpdate, telegramPressUpdate, telegramWebhookRequest } from "@factotum/testing-channels";
import type { TelegramMessage, TelegramMessageInput, TelegramUpdate } from "@factotum/testing-channels";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { StrictServer } from "@factotum/testing-providers";
import { vi } from "vitest";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

/** How updates reach the product. */
export type TelegramSceneTransport = "polling" | "webhook";

export const OWNER = 1001;
export const FORUM = -1_001_000_000_001;
const SECRET = "the_secret-of-the-webhook";
const PUBLIC_URL = "https://assistant.example.com";

/** A bot on the platform, the product with an installed channel and one agent, and a scripted model. */
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
  /** Kills the product, once the receipts of its messages are stored, and starts it again on the same state. */
  killAndStart(): Promise<void>;
  /** Resolves once `condition` is true for the messages of the bot. */
  shown(condition: (sent: readonly TelegramMessage[]) => boolean): Promise<readonly TelegramMessage[]>;
}

/** Settings of services for media. */
export interface MediaSettings {
  readonly providers?: object;
  /** Further keys of `models`. */
  readonly models?: object;
  readonly messages?: object;
  /** Facts about the conversation's own model. */
  readonly conversationModel?: object;
  readonly tools?: object;
  /** Agents in addition to the first. */
  readonly agents?: readonly object[];
  readonly broadcast?: object;
}

/** How the product is connected with the platform. */
export interface TelegramLink {
  /** The channel's package, and its key in the configuration. */
  readonly extension: string;
  readonly account: object;
  readonly gateway?: object;
  /** Services for media, in addition to the scene's own model. */
  readonly media?: MediaSettings;
  /** Begins to wait until the product that starts next is connected. */
  readonly connecting: (telegram: FakeTelegram) => () => Promise<unknown>;
  /** Passes an update to the product; resolves once it is acknowledged. */
  readonly deliver: (telegram: FakeTelegram, update: TelegramUpdate, product: Product) => Promise<void>;
}

/** Starts the scene with the Telegram channel. `account` replaces keys of the account. */
export async function startTelegramScene(
  transport: TelegramSceneTransport,
  account: object = {},
  media: MediaSettings = {},
): Promise<TelegramScene> {
  return startTelegramProduct(({ app, baseUrl }) => ({
    extension: "telegram",
    account: {
      token: app.token,
      baseUrl,
      transport: transport === "polling" ? { type: "polling" } : { type: "webhook", secretToken: SECRET },
      ...account,
    },
    media,
    ...LINKS[transport],
  }));
}

const LINKS: Readonly<Record<TelegramSceneTransport, Omit<TelegramLink, "extension" | "account" | "media">>> = {
  polling: {
    connecting({ updates }) {
      const { opened } = updates;
      return async () => updates.connected(opened + 1);
    },
    async deliver({ updates }, update) {
      if ((await updates.deliver(update)) !== "acknowledged") throw new Error("not acknowledged");
    },
  },
  webhook: {
    gateway: { publicUrl: PUBLIC_URL },
    connecting: (telegram) => async () => telegram.request(({ method }) => method === "setWebhook"),
    deliver: async ({ app: { webhook } }, update, product) =>
      postTelegramUpdate(webhook?.url.replace(PUBLIC_URL, product.url) ?? "", update, webhook?.secretToken),
  },
};

/** Posts an update as the platform does; resolves once it is acknowledged. */
export async function postTelegramUpdate(url: string, update: TelegramUpdate, secretToken: string | undefined): Promise<void> {
  const { status } = await fetch(telegramWebhookRequest(url, update, { secretToken }));
  if (status !== 200) throw new Error(`answered with ${status}`);
}

/** Starts a bot on the platform, and the product that is connected with it. */
export async function startTelegramProduct(linkTo: (telegram: FakeTelegram) => TelegramLink): Promise<TelegramScene> {
  const telegram = await FakeTelegram.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-telegram-"));
  const [workspace, home] = [path.join(folder, "agent"), path.join(folder, "home")];
  await mkdir(workspace);
  const link = linkTo(telegram);
  await installExtension(home, link.extension);
  const config = sceneConfig(link, { workspace, modelUrl: model.baseUrl });
  const start = async (): Promise<Product> => {
    const connected = link.connecting(telegram);
    const started = await startProduct({ config, home });
    await connected();
    return started;
  };
  let product = await start();
  const deliver = async (update: TelegramUpdate): Promise<void> => link.deliver(telegram, update, product);
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
      // The platform gives no key by which a repetition is known: a message without a stored receipt would be reported as uncertain.
      await vi.waitUntil(() => unsettledRows(product) === 0, { timeout: 120_000 });
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
  { extension, account, gateway, media = {} }: TelegramLink,
  { workspace, modelUrl }: { readonly workspace: string; readonly modelUrl: string },
): object {
  const { reference, providers } = ANTHROPIC.config(modelUrl, media.conversationModel);
  return {
    ...(gateway !== undefined && { gateway }),
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }, ...(media.agents ?? [])] },
    models: { providers: { ...providers, ...media.providers }, ...media.models },
    ...(media.messages !== undefined && { messages: media.messages }),
    ...(media.tools !== undefined && { tools: media.tools }),
    ...(media.broadcast !== undefined && { broadcast: media.broadcast }),
    commands: { ownerAllowFrom: [`${extension}:${OWNER}`] },
    channels: { [extension]: { allowFrom: [String(OWNER)], groupPolicy: "open", ...account } },
  };
}

/** Outgoing messages without a stored receipt. */
function unsettledRows({ home }: Product): number {
  using database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"), { readOnly: true });
  return Number(database.prepare("SELECT count(*) AS n FROM outbox WHERE state IN ('waiting', 'sending')").get()?.["n"]);
}
