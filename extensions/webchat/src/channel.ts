import {
  type AttachmentRef,
  type CallOptions,
  type Channel,
  type ChannelHealth,
  type ChannelHost,
  ChannelError,
  type Media,
  type MessageContext,
  messageId,
  type Origin,
  type Outbound,
  type SendOptions,
  type SendReceipt,
} from "@factotum/channel-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { WebchatDelivery, WebchatInput, WebchatSocket } from "@factotum/protocol";
import { WEBCHAT_CAPABILITIES } from "./capabilities.ts";
import type { WebchatConfig } from "./config.ts";
import { toReceipt, toUnsupportedError } from "./errors.ts";
import { parseInput } from "./inbound/parse-input.ts";
import { renderDelivery } from "./outbound/render-delivery.ts";

/** Dependencies of WebChat besides the host: the gateway's socket, which replaces a platform's SDK. */
export interface WebchatDependencies {
  readonly socket: WebchatSocket;
}

/**
 * The chat in the browser. The gateway has authenticated every connection before an input arrives here, and sends the page its session's event stream itself;
 * this channel passes inputs in, and messages for the conversation out.
 */
export function createWebchatChannel(config: WebchatConfig, host: ChannelHost, dependencies: WebchatDependencies): Channel {
  return new WebchatChannel(host, dependencies.socket);
}

type FetchOptions = Parameters<Channel["fetchAttachment"]>[1];

const NOT_NOW = { type: "rejected", code: "unreachable", retry: { type: "backoff" } } as const;

class WebchatChannel implements Channel {
  readonly capabilities = WEBCHAT_CAPABILITIES;
  readonly #host: ChannelHost;
  readonly #socket: WebchatSocket;
  readonly #queue = createKeyedQueue();
  #listening: Disposable | undefined;
  /** Fires when a stop does not wait any longer. */
  #leaving = new AbortController();
  #health: ChannelHealth = { state: "starting" };

  constructor(host: ChannelHost, socket: WebchatSocket) {
    this.#host = host;
    this.#socket = socket;
  }

  async start(options: CallOptions): Promise<void> {
    options.signal.throwIfAborted();
    if (this.#listening !== undefined) return;
    this.#leaving = new AbortController();
    this.#listening = this.#socket.listen((input) => this.#receive(input));
    this.#health = { state: "connected", evidenceAtMs: this.#host.clock.now() };
  }

  async #receive(input: WebchatInput): Promise<"accepted" | "duplicate"> {
    const nowMs = this.#host.clock.now();
    try {
      const outcome = await this.#host.receive(parseInput(input, { accountId: this.#host.accountId, nowMs }));
      if (this.#listening !== undefined) this.#health = { state: "connected", evidenceAtMs: nowMs };
      return outcome;
    } catch (error) {
      const detail = "Messages cannot be stored at the moment; the page sends them again. The gateway's log says why.";
      if (this.#listening !== undefined) this.#health = { state: "degraded", evidenceAtMs: nowMs, detail };
      throw error;
    }
  }

  async handleWebhook(): Promise<Response> {
    return new Response("WebChat has no webhook.", { status: 404 });
  }

  async send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt> {
    const rendered = renderDelivery(target, outbound, options.idempotencyKey);
    if (rendered.type === "refused") return rendered.receipt;
    return this.#queue.run(target.conversation.id, () => this.#deliver(rendered.delivery, options.signal));
  }

  async #deliver(delivery: WebchatDelivery, callerSignal: AbortSignal): Promise<SendReceipt> {
    if (this.#health.state === "stopped")
      return { ...NOT_NOW, message: "WebChat is stopped; the gateway sends this after its next start." };
    if (callerSignal.aborted) return { ...NOT_NOW, message: "The send was aborted before it began." };
    const signal = AbortSignal.any([callerSignal, this.#leaving.signal]);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      const { entryId } = await Promise.race([this.#socket.deliver(delivery, { signal }), aborted.promise]);
      return { type: "accepted", messageIds: [messageId(entryId)] };
    } catch (error) {
      return toReceipt(error, signal);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async act(action: { readonly name: string }): Promise<never> {
    throw toUnsupportedError(`action "${action.name}"`);
  }

  fetchContext(): Promise<MessageContext> {
    return Promise.resolve({});
  }

  async fetchAttachment({ kind, ref, mimeType = "application/octet-stream" }: AttachmentRef, options: FetchOptions): Promise<Media> {
    const bytes = await this.#socket.readUpload(ref);
    if (bytes === undefined) throw new ChannelError("not-found", "The attachment is not there any more.", { retry: { type: "never" } });
    if (bytes.length > options.maxBytes)
      throw new ChannelError("too-long", `The attachment has more than ${options.maxBytes} bytes.`, { retry: { type: "never" } });
    return { kind, mimeType, bytes };
  }

  /** A session key is its own address, with or without a `channel:` prefix. Names are not resolved: the only person here has no other. */
  async resolveTarget(query: string): Promise<Origin | undefined> {
    const id = query.trim().replace(/^channel:/, "");
    if (!/^agent:[^:\s]+:\S+$/.test(id)) return undefined;
    return { channel: "webchat", accountId: this.#host.accountId, conversation: { kind: "direct", id } };
  }

  health(): ChannelHealth {
    return this.#health;
  }

  async stop(options: CallOptions): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    this.#listening = undefined;
    this.#health = { ...this.#health, state: "stopped" };
    const leave = (): void => this.#leaving.abort(new Error("The channel was stopped."));
    if (options.signal.aborted) leave();
    options.signal.addEventListener("abort", leave, { once: true });
    await this.#queue.idle();
    options.signal.removeEventListener("abort", leave);
  }
}
