import { type ChatAttachment, type ChatEntry, retryKey } from "@factotum/protocol";
import * as z from "zod";
import { RpcError } from "../gateway-client/rpc-error.ts";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import type { Timers } from "../gateway-client/timers.ts";

/**
 * A pending message. `sending`: not acknowledged, sent again after every reconnect under the same key. `accepted`: the gateway has it and its entry has not
 * arrived yet. `failed`: the gateway refused it.
 */
export interface OutgoingMessage {
  readonly idempotencyKey: string;
  readonly sessionKey: string;
  readonly text: string;
  /** It is sent as another version of this message. */
  readonly version?: { readonly type: "edit" | "regenerate"; readonly entryId: string } | undefined;
  /** Files that were already uploaded. */
  readonly attachments?: readonly ChatAttachment[] | undefined;
  readonly status: "sending" | "accepted" | "failed";
  /** For `failed`: what to do. */
  readonly error?: string | undefined;
}

/** Dependencies of the outbox. */
export interface OutboxOptions {
  readonly client: Pick<GatewayClient, "request" | "onStateChange" | "state">;
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  readonly timers: Timers;
  randomId(): string;
  onChange(messages: readonly OutgoingMessage[]): void;
}

const STORAGE_KEY = "factotum.outbox";
/** Delay before a message is retried that the gateway could not accept at the moment. */
const RETRY_MS = 3000;

const StoredSchema = z.array(
  z.strictObject({
    idempotencyKey: z.string(),
    sessionKey: z.string(),
    text: z.string(),
    version: z.strictObject({ type: z.enum(["edit", "regenerate"]), entryId: z.string() }).optional(),
    attachments: z
      .array(
        z.strictObject({ ref: z.string(), kind: z.enum(["image", "audio", "video", "file"]).optional(), fileName: z.string().optional() }),
      )
      .optional(),
    status: z.enum(["sending", "failed"]),
    error: z.string().optional(),
  }),
);

/**
 * Typed messages that are not in the conversation yet. A message stays until the gateway has acknowledged it, through lost connections and reloads, and is
 * always sent under its own key: nothing is lost or sent twice. Messages are sent in the order they were typed.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #messages: readonly OutgoingMessage[];
  #flushing = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#messages = load(options.storage);
    options.client.onStateChange(() => void this.#flush());
  }

  get messages(): readonly OutgoingMessage[] {
    return this.#messages;
  }

  /** `retryOf`: the key of a failed message that this one repeats. */
  send(sessionKey: string, text: string, attachments: readonly ChatAttachment[] = [], retryOf?: string): void {
    const id = this.#options.randomId();
    const idempotencyKey = retryOf === undefined ? id : retryKey(retryOf, id);
    const message: OutgoingMessage = { idempotencyKey, sessionKey, text, status: "sending" };
    this.#set([...this.#messages, attachments.length === 0 ? message : { ...message, attachments }]);
    void this.#flush();
  }

  /** Sends another version of a message: its files go with it. */
  sendVersion(sessionKey: string, text: string, version: NonNullable<OutgoingMessage["version"]>): void {
    this.#set([...this.#messages, { idempotencyKey: this.#options.randomId(), sessionKey, text, version, status: "sending" }]);
    void this.#flush();
  }

  /** Sends a failed message again, under its old key. */
  retry(idempotencyKey: string): void {
    this.#change(idempotencyKey, { status: "sending", error: undefined });
    void this.#flush();
  }

  discard(idempotencyKey: string): void {
    this.#set(this.#messages.filter((message) => message.idempotencyKey !== idempotencyKey));
  }

  /** Removes messages that are among these entries. `idle`: nothing is running or waiting there, so accepted messages are done. */
  settle(sessionKey: string, entries: readonly ChatEntry[], idle: boolean): void {
    if (this.#messages.length === 0) return;
    const keys = new Set(entries.map((entry) => (entry.type === "user" ? entry.idempotencyKey : undefined)));
    const isDone = (message: OutgoingMessage): boolean =>
      message.sessionKey === sessionKey && (keys.has(message.idempotencyKey) || (idle && message.status === "accepted"));
    const left = this.#messages.filter((message) => !isDone(message));
    if (left.length < this.#messages.length) this.#set(left);
  }

  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        if (!(await this.#deliver(next))) return;
      }
    } finally {
      this.#flushing = false;
    }
  }

  #next(): OutgoingMessage | undefined {
    if (this.#options.client.state.type !== "connected") return undefined;
    return this.#messages.find((message) => message.status === "sending");
  }

  /** False if it must be retried later. */
  async #deliver(message: OutgoingMessage): Promise<boolean> {
    const { idempotencyKey } = message;
    try {
      await this.#request(message);
      this.#change(idempotencyKey, { status: "accepted" });
      return true;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.isTransient) {
        this.#options.timers.schedule(RETRY_MS, () => void this.#flush());
        return false;
      }
      this.#change(idempotencyKey, { status: "failed", error: error.message });
      return true;
    }
  }

  async #request({ idempotencyKey, sessionKey, text, version, attachments }: OutgoingMessage): Promise<void> {
    const { client } = this.#options;
    if (version?.type === "edit") await client.request("chat.edit", { sessionKey, entryId: version.entryId, text, idempotencyKey });
    else if (version !== undefined) await client.request("chat.regenerate", { sessionKey, entryId: version.entryId, idempotencyKey });
    else await client.request("chat.send", { sessionKey, text, ...(attachments === undefined ? {} : { attachments }), idempotencyKey });
  }

  #change(idempotencyKey: string, change: Partial<OutgoingMessage>): void {
    this.#set(this.#messages.map((message) => (message.idempotencyKey === idempotencyKey ? { ...message, ...change } : message)));
  }

  #set(messages: readonly OutgoingMessage[]): void {
    this.#messages = messages;
    this.#options.storage.setItem(STORAGE_KEY, JSON.stringify(messages.filter((message) => message.status !== "accepted")));
    this.#options.onChange(messages);
  }
}

function load(storage: OutboxOptions["storage"]): readonly OutgoingMessage[] {
  const text = storage.getItem(STORAGE_KEY);
  if (text === null) return [];
  try {
    return StoredSchema.parse(JSON.parse(text));
  } catch (error) {
    // Stored by another version of the page: nothing can be sent.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return [];
    throw error;
  }
}
