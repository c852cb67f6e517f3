import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Channel, ChannelHost, Media, Origin } from "@factotum/channel-contract";
import { createFeishuBot } from "./api/bot-identity.ts";
import { createFeishuApi } from "./api/feishu-api.ts";
import { feishuCapabilities } from "./capabilities.ts";
import type { FeishuConfig } from "./config.ts";
import { probeAccount } from "./account/probe.ts";
import { findEntries } from "./account/directory.ts";
import { createMessageContextReader } from "./context/message-context.ts";
import { createMessageReads } from "./context/message-reads.ts";
import { createReadApi } from "./context/read-api.ts";
import { performAction } from "./conversation/actions.ts";
import { readHistory } from "./conversation/history.ts";
import { reconcileSend } from "./conversation/reconcile.ts";
import { toChannelError } from "./errors.ts";
import { createAcceptEvent } from "./inbound/accept-event.ts";
import { parseAttachmentRef } from "./inbound/attachment-ref.ts";
import { KnownChats } from "./inbound/known-chats.ts";
import { CardStreams } from "./outbound/card-streams.ts";
import { createMessageApi } from "./outbound/message-api.ts";
import type { MessageApi } from "./outbound/message-api.ts";
import { createSender } from "./outbound/sender.ts";
import { createLongConnection } from "./transport/long-connection.ts";
import type { Transport } from "./transport/transport.ts";
import { createWebhookTransport } from "./transport/webhook.ts";

/** Creates the channel of one account. Loads and requests nothing before `start` or the first send. */
export function createFeishuChannel(config: FeishuConfig, host: ChannelHost): Channel {
  const api = createFeishuApi(config, host);
  const lives = new AbortController();
  const bot = createFeishuBot(api, host, { signal: lives.signal });
  const chats = new KnownChats(host);
  const messages = createMessageApi(api, config.appId, chats);
  const sender = createSender({ messages, streams: new CardStreams(api, messages, host) }, host);
  const read = createReadApi(api);
  const reads = createMessageReads(read, config.appId);
  const context = createMessageContextReader({ read, messages: reads, appId: config.appId, bot }, host, { signal: lives.signal });
  const accept = createAcceptEvent({ appId: config.appId, host, bot, chats, placeOf: async (id, options) => context.placeOf(id, options) });
  const transport: Transport =
    config.transport.type === "webhook"
      ? createWebhookTransport({ secrets: config.transport, host, bot, accept })
      : createLongConnection({ config, host, accept });
  let stopped: Promise<void> | undefined;

  return {
    capabilities: feishuCapabilities(config.transport),
    start: (options) => transport.start(options),
    handleWebhook: (request, options) => transport.handleWebhook(request, options),
    send: (target, outbound, options) =>
      outbound.type === "stream" && feishuCapabilities(config.transport).streaming !== "native"
        ? Promise.resolve({ type: "rejected", code: "rejected", retry: { type: "never" }, message: "this channel streams by edits" })
        : sender.send(target, outbound, options),
    act: async (action, options) => ({ value: await performAction({ api, read, messages: reads, context }, action, options) }),
    fetchAttachment: (ref, options) => fetchAttachment(messages, ref, options),
    fetchContext: (message, options) => context.fetch(message, options),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, host.accountId)),
    probe: (options) => probeAccount({ bot, read }, options),
    directory: (query, options) => findEntries({ read, context }, query, options),
    history: (target, options) => readHistory({ messages: reads, context }, target, options),
    reconcile: (target, outbound, options) => reconcileSend(reads, target, outbound, options),
    health: () => context.addTo(bot.addTo(transport.health())),
    stop: (options) => {
      lives.abort();
      stopped ??= Promise.all([transport.stop(options), sender.stop(options)]).then(() => undefined);
      return stopped;
    },
  };
}

async function fetchAttachment(
  messages: MessageApi,
  attachment: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  const resource = parseAttachmentRef(attachment.ref);
  if (resource === undefined) throw new ChannelError("not-found", "this attachment is not one of Feishu's", { retry: { type: "never" } });
  try {
    const { bytes, contentType, contentDisposition } = await messages.fetchResource(resource, options);
    const fileName = attachment.fileName ?? fileNameOf(contentDisposition);
    return {
      kind: attachment.kind,
      mimeType: contentType.split(";")[0]?.trim() || (attachment.mimeType ?? "application/octet-stream"),
      bytes,
      ...(fileName !== undefined && { fileName }),
      ...(attachment.voice !== undefined && { voice: attachment.voice }),
    };
  } catch (error) {
    throw toChannelError(error);
  }
}

/** The name of a download, without a path. */
function fileNameOf(contentDisposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(contentDisposition)?.[1];
  const plain = /filename="?([^";]+)"?/i.exec(contentDisposition)?.[1];
  const name =
    encoded !== undefined && /^(?:[^%]|%[0-9a-f]{2})*$/i.test(encoded)
      ? Buffer.from(unescapeBytes(encoded), "latin1").toString("utf8")
      : plain;
  return name?.split(/[/\\]/).at(-1) || undefined;
}

function unescapeBytes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Ids only: the platform finds people by name for apps with rights to the directory, which a bot need not have. */
function resolveTarget(query: string, accountId: string): Origin | undefined {
  const [, id] = /^(?:(?:user|channel|group):)?((?:ou|on|oc)_[\w-]+)$/.exec(query.trim()) ?? [];
  if (id === undefined) return undefined;
  return { channel: "feishu", accountId, conversation: { kind: id.startsWith("oc_") ? "group" : "direct", id } };
}
