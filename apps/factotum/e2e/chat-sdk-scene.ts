import { postTelegramUpdate, startTelegramProduct } from "./telegram-scene.ts";
import type { TelegramScene } from "./telegram-scene.ts";

export const SECRET = "the_secret-of-the-webhook";

/** Starts the scene with the channel that runs the platform's adapter. `account` and `options` replace keys of the account and of the adapter's options. */
export async function startChatSdkScene(account: object = {}, options: object = {}): Promise<TelegramScene> {
  return startTelegramProduct(({ app, baseUrl }) => ({
    extension: "chat-sdk",
    account: {
      adapter: "@chat-adapter/telegram",
      options: { mode: "webhook", botToken: app.token, secretToken: SECRET, apiUrl: baseUrl, ...options },
      ...account,
    },
    // Nothing registers the webhook.
    connecting: () => () => Promise.resolve(),
    deliver: async (_telegram, update, product) => postTelegramUpdate(`${product.url}/channels/chat-sdk/default`, update, SECRET),
  }));
}
