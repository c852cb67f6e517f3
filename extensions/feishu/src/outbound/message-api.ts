import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId, Origin } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { ApiCall, FeishuApi } from "../api/feishu-api.ts";
import type { FileAnswer } from "../api/http.ts";
import { receiveIdType } from "../conversation-id.ts";
import type { ResourceRef } from "../inbound/attachment-ref.ts";
import type { KnownChats } from "../inbound/known-chats.ts";
import type { MessageContent, Upload } from "./message-content.ts";

const SentSchema = z.looseObject({ data: z.looseObject({ message_id: z.string().min(1), chat_id: z.string().min(1).optional() }) });
const UploadedSchema = z.looseObject({
  data: z
    .looseObject({ image_key: z.string().min(1).optional(), file_key: z.string().min(1).optional() })
    .refine(({ image_key: image, file_key: file }) => (image ?? file) !== undefined),
});

/** A large file on a slow line. */
const UPLOAD_TIMEOUT_MS = 60_000;

const ReactionsSchema = z.looseObject({
  data: z.looseObject({
    items: z
      .array(z.looseObject({ reaction_id: z.string(), operator: z.looseObject({ operator_type: z.string(), operator_id: z.string() }) }))
      .default([]),
  }),
});

/** The message calls of the platform that are used. Each rejects with a PlatformFailure. */
export interface MessageApi {
  /** Sends into a conversation; with `replyTo`, or in a thread, as a reply. */
  send(
    message: { readonly target: Origin; readonly body: MessageContent; readonly uuid: string; readonly replyTo?: string | undefined },
    options: CallOptions,
  ): Promise<MessageId>;
  /** Shows a card in a group to one person alone. The platform does not deduplicate it. */
  sendPrivately(
    message: { readonly chatId: string; readonly openId: string; readonly card: object },
    options: CallOptions,
  ): Promise<MessageId>;
  edit(id: string, body: MessageContent, options: CallOptions): Promise<void>;
  /** Replaces a card; `content` is its JSON. */
  editCard(id: string, content: string, options: CallOptions): Promise<void>;
  recall(id: string, options: CallOptions): Promise<void>;
  react(id: string, emojiType: string, options: CallOptions): Promise<void>;
  unreact(id: string, emojiType: string, options: CallOptions): Promise<void>;
  /** Uploads a file to the platform; resolves with its key for a message. */
  upload(upload: Upload, options: CallOptions): Promise<string>;
  fetchResource(resource: ResourceRef, options: CallOptions & { readonly maxBytes: number }): Promise<FileAnswer>;
}

/** Makes the calls on an account's API. `chats` learns the chat of a person that was written to by their id. */
export function createMessageApi(api: FeishuApi, appId: string, chats: Pick<KnownChats, "learnDirect">): MessageApi {
  const path = (id: string, rest = ""): string => `/im/v1/messages/${encodeURIComponent(id)}${rest}`;
  return {
    async send({ target, body, uuid, replyTo }, options) {
      const { id, threadId } = target.conversation;
      const parent = replyTo ?? threadId;
      const answer = await api.call(
        parent === undefined
          ? {
              method: "POST",
              path: "/im/v1/messages",
              params: { receive_id_type: receiveIdType(id) },
              data: { receive_id: id, ...body, uuid },
            }
          : { method: "POST", path: path(parent, "/reply"), data: { ...body, uuid, reply_in_thread: threadId !== undefined } },
        options,
      );
      const { message_id: sentId, chat_id: chatId } = parseSent(answer);
      if (parent === undefined && receiveIdType(id) !== "chat_id" && chatId !== undefined) await chats.learnDirect(chatId);
      return messageId(sentId);
    },
    async sendPrivately({ chatId, openId, card }, options) {
      const data = { chat_id: chatId, open_id: openId, msg_type: "interactive", card };
      return messageId(parseSent(await api.call({ method: "POST", path: "/ephemeral/v1/send", data }, options)).message_id);
    },
    async edit(id, body, options) {
      await api.call({ method: "PUT", path: path(id), data: body }, options);
    },
    async editCard(id, content, options) {
      await api.call({ method: "PATCH", path: path(id), data: { content } }, options);
    },
    async recall(id, options) {
      await api.call({ method: "DELETE", path: path(id) }, options);
    },
    async react(id, emojiType, options) {
      await api.call({ method: "POST", path: path(id, "/reactions"), data: { reaction_type: { emoji_type: emojiType } } }, options);
    },
    async unreact(id, emojiType, options) {
      const answer = await api.call(
        { method: "GET", path: path(id, "/reactions"), params: { reaction_type: emojiType, page_size: 50 } },
        options,
      );
      const own = ReactionsSchema.parse(answer).data.items.find(
        ({ operator }) => operator.operator_type === "app" && operator.operator_id === appId,
      );
      // There is nothing to remove.
      if (own !== undefined)
        await api.call({ method: "DELETE", path: path(id, `/reactions/${encodeURIComponent(own.reaction_id)}`) }, options);
    },
    async upload({ type, file, durationMs }, options) {
      const isImage = type === "image";
      const answer = await api.call(
        {
          method: "POST",
          path: isImage ? "/im/v1/images" : "/im/v1/files",
          headers: { "content-type": "multipart/form-data" },
          data: isImage
            ? { image_type: "message", image: file }
            : { file_type: type, file_name: file.name, ...(durationMs !== undefined && { duration: durationMs }), file },
          timeout: UPLOAD_TIMEOUT_MS,
        },
        options,
      );
      const taken = UploadedSchema.safeParse(answer);
      if (!taken.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no file", { cause: taken.error });
      return taken.data.data.image_key ?? taken.data.data.file_key ?? "";
    },
    async fetchResource({ messageId: id, key, type }, options) {
      const call: ApiCall = {
        method: "GET",
        path: path(id, `/resources/${encodeURIComponent(key)}`),
        params: { type },
        responseType: "arraybuffer",
        maxContentLength: options.maxBytes,
      };
      return (await api.call(call, options)) as FileAnswer;
    },
  };
}

/** The message that a send has created. Throws a `PlatformFailure` for an answer without one: it may be shown. */
function parseSent(answer: unknown): z.infer<typeof SentSchema>["data"] {
  const sent = SentSchema.safeParse(answer);
  if (!sent.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message", { cause: sent.error });
  return sent.data.data;
}
