import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost, MessageId } from "@factotum/channel-contract";
import * as z from "zod";
import type { SampleChatConfig } from "../config.ts";
import { SampleChatFailure, toFailure } from "../errors.ts";
import type { MessageBody } from "../outbound/render-text.ts";

/** The platform's API, as far as it is used. Every call rejects with a SampleChatFailure. */
export interface SampleChatApi {
  /** The bot's own id. */
  me(options: CallOptions): Promise<string>;
  /** Sends once for every key. */
  sendMessage(chatId: string, message: { body: MessageBody; key: string }, options: CallOptions): Promise<MessageId>;
}

const Answer = z.object({ id: z.string().min(1) });

/** Where a platform has an SDK, it belongs here, loaded on first use. */
export function createSampleChatApi(config: SampleChatConfig, host: Pick<ChannelHost, "fetch">): SampleChatApi {
  const call = async (
    path: string,
    init: CallOptions & { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<string> => {
    const headers = { ...init.headers, authorization: `Bearer ${config.token}` };
    let text: string;
    let response: Response;
    try {
      response = await host.fetch(new URL(path, config.baseUrl), { ...init, headers, redirect: "error" });
      text = await response.text();
    } catch (error) {
      throw toFailure(error);
    }
    if (!response.ok) {
      const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      const later = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
      throw new SampleChatFailure({ type: "refused", status: response.status, ...later }, `Sample Chat answered ${response.status}`);
    }
    const answer = Answer.safeParse(parseJson(text));
    if (!answer.success) throw new SampleChatFailure({ type: "no-answer" }, "Sample Chat's answer cannot be read", { cause: answer.error });
    return answer.data.id;
  };

  return {
    me: ({ signal }) => call("/v1/me", { signal }),
    async sendMessage(chatId, { body, key }, { signal }) {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const path = `/v1/chats/${encodeURIComponent(chatId)}/messages`;
      return messageId(await call(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
