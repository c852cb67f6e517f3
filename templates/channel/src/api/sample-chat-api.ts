import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost, MessageId } from "@factotum/channel-contract";
import { createHttpClient, parseJson, PlatformFailure, retryAfterMs } from "@factotum/channel-kit";
import * as z from "zod";
import type { SampleChatConfig } from "../config.ts";
import type { MessageBody } from "../outbound/render-text.ts";

/** The platform's API, as far as it is used. Every call rejects with a PlatformFailure. */
export interface SampleChatApi {
  /** The bot's own id. */
  me(options: CallOptions): Promise<string>;
  /** Sends once for every key. */
  sendMessage(chatId: string, message: { body: MessageBody; key: string }, options: CallOptions): Promise<MessageId>;
  /** A request with the bot's token; resolves with the parsed answer. `timeoutMs` is for answers that may wait. */
  call(path: string, init: RequestInit, options: CallOptions & { readonly timeoutMs?: number }): Promise<unknown>;
}

const Answer = z.object({ id: z.string().min(1) });
const Refusal = z.object({ error: z.string() });

/** Where a platform has an SDK, it belongs here, loaded on first use, with the kit's `createSdkFetch`. */
export function createSampleChatApi(config: SampleChatConfig, host: Pick<ChannelHost, "fetch" | "clock">): SampleChatApi {
  const request = createHttpClient(host, { platform: "Sample Chat" });
  const call: SampleChatApi["call"] = async (path, init, options) => {
    const headers = { "content-type": "application/json", ...init.headers, authorization: `Bearer ${config.token}` };
    const { status, headers: answered, bytes } = await request(new URL(path, config.baseUrl), { ...init, headers }, options);
    const answer = parseJson(bytes);
    if (status >= 200 && status < 300) return answer;
    const delayMs = retryAfterMs(answered);
    const later = delayMs === undefined ? {} : { retryAfterMs: delayMs };
    const refusal = Refusal.safeParse(answer);
    const message = `Sample Chat answered ${status}`;
    if (!refusal.success) throw new PlatformFailure({ type: "http", status, ...later }, message);
    throw new PlatformFailure({ type: "refused", code: refusal.data.error, status, ...later }, `${message} (${refusal.data.error})`);
  };
  const idOf = (answer: unknown): string => {
    const parsed = Answer.safeParse(answer);
    if (parsed.success) return parsed.data.id;
    throw new PlatformFailure({ type: "no-answer" }, "Sample Chat's answer cannot be read", { cause: parsed.error });
  };

  return {
    call,
    me: async (options) => idOf(await call("/v1/me", {}, options)),
    async sendMessage(chatId, { body, key }, options) {
      const init = { method: "POST", headers: { "idempotency-key": key }, body: JSON.stringify(body) };
      return messageId(idOf(await call(`/v1/chats/${encodeURIComponent(chatId)}/messages`, init, options)));
    },
  };
}
