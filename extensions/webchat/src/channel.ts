import {
  type CallOptions,
  type Channel,
  type ChannelHealth,
  type ChannelHost,
  ChannelError,
  messageId,
  type Origin,
  type Outbound,
  type SendOptions,
  type SendReceipt,
} from "@factotum/channel-contract";
import type { WebchatInput, WebchatSocket } from "@factotum/protocol";
import { WEBCHAT_CAPABILITIES } from "./capabilities.ts";
import type { WebchatConfig } from "./config.ts";
import { toReceipt, toUnsupportedError } from "./errors.ts";
import { parseInput } from "./inbound/parse-input.ts";
import { renderDelivery } from "./outbound/render-delivery.ts";
import { SendOrder } from "./outbound/send-order.ts";

/** What WebChat needs beyond the host: the gateway's socket, which takes the place of a platform's SDK. */
export interface WebchatDependencies {
  readonly socket: WebchatSocket;
}

/**
 * The chat in the browser. The gateway has authenticated every connection before an input arrives here, and the page gets the event stream of its
 * session from the gateway itself; this channel carries the inputs in and the messages that belong into the conversation out.
 */
export function createWebchatChannel(config: WebchatConfig, host: ChannelHost, dependencies: WebchatDependencies): Channel {
  return new WebchatChannel(host, dependencies.socket);
}

class WebchatChannel implements Channel {
  readonly capabilities = WEBCHAT_CAPABILITIES;
  readonly #host: ChannelHost;
  readonly #socket: WebchatSocket;
  readonly #order = new SendOrder();
  #listening: Disposable | undefined;
  #state: "starting" | "connected" | "stopped" = "starting";
  #evidenceAtMs: number | undefined;

  constructor(host: ChannelHost, socket: WebchatSocket) {
    this.#host = host;
    this.#socket = socket;
  }

  async start(options: CallOptions): Promise<void> {
    options.signal.throwIfAborted();
    this.#listening ??= this.#socket.listen((input) => this.#receive(input));
    this.#state = "connected";
    this.#evidenceAtMs = this.#host.clock.now();
  }

  async #receive(input: WebchatInput): Promise<"accepted" | "duplicate"> {
    const nowMs = this.#host.clock.now();
    const outcome = await this.#host.receive(parseInput(input, { accountId: this.#host.accountId, nowMs }));
    this.#evidenceAtMs = nowMs;
    return outcome;
  }

  async handleWebhook(): Promise<Response> {
    return new Response("WebChat has no webhook.", { status: 404 });
  }

  async send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt> {
    const delivery = renderDelivery(target, outbound, options.idempotencyKey);
    if (delivery === undefined) {
      const error = toUnsupportedError(`"${outbound.type}" messages`);
      return { type: "rejected", code: error.code, retry: error.retry, message: error.message };
    }
    return this.#order.run(target.conversation.id, async () => {
      if (options.signal.aborted) {
        return { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message: "The send was aborted before it began." };
      }
      try {
        const { entryId } = await this.#socket.deliver(delivery, { signal: options.signal });
        return { type: "accepted", messageIds: [messageId(entryId)] };
      } catch (error) {
        return toReceipt(error, options.signal);
      }
    });
  }

  async act(action: { readonly name: string }): Promise<never> {
    throw toUnsupportedError(`action "${action.name}"`);
  }

  async fetchAttachment(): Promise<never> {
    throw new ChannelError("not-found", "WebChat messages carry no attachments.", { retry: { type: "never" } });
  }

  /** A session key is its own address. Names are not looked up: the one person here has no other. */
  async resolveTarget(query: string): Promise<Origin | undefined> {
    const id = query.trim();
    if (!/^agent:[^:\s]+:\S+$/.test(id)) return undefined;
    return { channel: "webchat", accountId: this.#host.accountId, conversation: { kind: "direct", id } };
  }

  health(): ChannelHealth {
    return { state: this.#state, ...(this.#evidenceAtMs === undefined ? {} : { evidenceAtMs: this.#evidenceAtMs }) };
  }

  async stop(options: CallOptions): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    this.#listening = undefined;
    this.#state = "stopped";
    await this.#order.idle(options.signal);
  }
}
