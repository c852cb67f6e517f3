import type {
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappeningEvent,
  TestMessage,
} from "@factotum/channel-conformance";
import { ChannelError } from "@factotum/channel-contract";
import type { AccountState, AccountValue, Channel, ChannelHost, Conversation } from "@factotum/channel-contract";
import { A2aConfigSchema } from "../src/index.ts";
import type { A2aConfig } from "../src/index.ts";

export const TOKENS = { research: "r".repeat(40), other: "o".repeat(40) } as const;

interface StoredTask {
  readonly id: string;
  readonly contextId: string;
  readonly texts: readonly {
    readonly id: string;
    readonly text: string;
    readonly isGrowing?: true;
    readonly file?: { readonly fileName?: string };
  }[];
}

/** A peer behind the suite's interface. What it is shown is what its tasks hold: the account's state is all that a send reaches. */
export class A2aPlatform implements ConformancePlatform {
  readonly transport = "webhook";
  readonly openConnections = 0;
  readonly features: ConformancePlatform["features"] = {
    handshake: false,
    renewableToken: false,
    otherBots: false,
    massMention: "",
    files: true,
    absent: ["groups", "replies", "credential", "wire"],
  };
  readonly secrets: readonly string[] = Object.values(TOKENS);
  sendRequests = 0;
  readonly #shown = new Map<string, ShownMessage>();
  readonly #files = new Map<string, Uint8Array>();
  readonly #faults: SendFault[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #gate = Promise.withResolvers<void>();
  #isUp = true;
  #events = 0;

  settings(): A2aConfig {
    return A2aConfigSchema.parse({ peers: { research: { token: TOKENS.research }, other: { token: TOKENS.other } } });
  }

  /** The host, with the state behind this platform's controls. */
  behind(host: ChannelHost): ChannelHost {
    const { state } = host;
    const watched: AccountState = {
      get: (key) => state.get(key),
      list: (prefix) => state.list(prefix),
      delete: (key) => state.delete(key),
      set: (key, value, options) =>
        value.type === "bytes"
          ? this.#keep(key, value.bytes, () => state.set(key, value, options))
          : this.#take(value, () => state.set(key, value, options)),
    };
    return {
      accountId: host.accountId,
      receive: (message, progress) => host.receive(message, progress),
      admits: (message) => host.admits(message),
      fetchPublic: (url, options) => host.fetchPublic(url, options),
      commit: (progress) => host.commit(progress),
      cursor: () => host.cursor(),
      state: watched,
      commands: host.commands,
      webhookUrl: host.webhookUrl,
      clock: host.clock,
      logger: host.logger,
      fetch: host.fetch,
      random: host.random,
    };
  }

  async #keep(key: string, bytes: Uint8Array, store: () => Promise<void>): Promise<void> {
    if (!this.#isUp) throw new Error("the store is closed");
    await store();
    this.#files.set(key.split("/").at(-1) ?? "", bytes);
  }

  async #take(value: AccountValue, store: () => Promise<void>): Promise<void> {
    if (!this.#isUp) throw new Error("the store is closed");
    this.sendRequests += 1;
    for (const { count, resolve } of this.#waiting) if (this.sendRequests >= count) resolve();
    const fault = this.#faults.shift();
    if (fault?.type === "server-error") throw new Error("the store is full");
    if (fault?.type === "forbidden") throw new ChannelError("forbidden", "not here", { retry: { type: "never" } });
    if (fault?.type === "rate-limited")
      throw new ChannelError("rate-limited", "later", { retry: { type: "after", delayMs: fault.delayMs } });
    await store();
    this.#show(value);
    if (fault?.type === "held") await this.#gate.promise;
  }

  #show(value: AccountValue): void {
    const { id: taskId, contextId, texts } = (value.type === "json" ? value.json : {}) as StoredTask;
    for (const { id: textId, text, isGrowing = false, file } of texts) {
      const id = `${taskId}/${textId}`;
      const shown = { messageId: id, conversationId: "research", inThread: contextId === "thread", text, isGrowing };
      const bytes = this.#files.get(textId);
      const sent = file === undefined || bytes === undefined ? {} : { file: { name: file.fileName ?? "", bytes } };
      this.#shown.set(id, { ...shown, ...sent, deleted: false, reactions: [], notifiedAll: false });
    }
  }

  event(message: TestMessage): TestEvent {
    const id = `message-${(this.#events += 1)}`;
    const conversation = this.target(message.conversation);
    const metadata = message.isReply === true ? {} : undefined;
    const raw = {
      method: "SendMessage",
      params: {
        message: { messageId: id, contextId: `${conversation.threadId}`, role: "ROLE_USER", parts: partsOf(message), metadata },
        configuration: { returnImmediately: true },
      },
    };
    return { raw, expected: { eventId: id, messageId: id, conversation, senderId: "research", timestampMs: 0 } };
  }

  async deliver(channel: Channel, { raw }: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const body = { jsonrpc: "2.0", id: 1, ...(raw as object), ...(fault === "unknown-kind" && { method: "SomethingNew" }) };
    const token = { "signature-missing": undefined, "signature-wrong": "w".repeat(40), "other-account": "x".repeat(40) };
    return post(
      channel,
      JSON.stringify(body),
      fault !== undefined && fault in token ? token[fault as keyof typeof token] : TOKENS.research,
    );
  }

  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    return post(channel, bytes, TOKENS.research);
  }

  target(kind: "direct" | "group" | "thread" | "unknown"): Conversation {
    if (kind === "unknown") return { kind: "direct", id: "missing", threadId: "direct" };
    // A peer's context has one open task: every message of the suite has its own, but for the thread.
    return { kind: "direct", id: "research", threadId: kind === "thread" ? "thread" : `context-${this.#events}` };
  }

  get shown(): readonly ShownMessage[] {
    return [...this.#shown.values()];
  }

  async sendRequested(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    if (this.sendRequests < count) await promise;
  }

  failNextSend(fault: SendFault): void {
    this.#faults.push(fault);
  }

  release(): void {
    this.#gate.resolve();
    this.#gate = Promise.withResolvers();
  }

  async shutDown(): Promise<void> {
    this.#isUp = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  // Unsupported by this platform, so never called.
  happening(): TestHappeningEvent {
    throw new Error("peers send messages alone");
  }

  handshake(): Promise<boolean> {
    return Promise.reject(new Error("peers do not check addresses"));
  }

  refuseReads(): void {
    throw new Error("the channel fetches no context");
  }

  revokeTokens(): void {
    throw new Error("tokens are not exchanged");
  }

  disconnect(): void {
    throw new Error("peers keep no connection");
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("peers keep no connection"));
  }
}

/** One request of a peer, as it is on the wire. */
export function requestOf(body: string | Uint8Array, token: string | undefined, path: string): Request {
  const headers = {
    "content-type": "application/json",
    "a2a-version": "1.0",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return new Request(`http://127.0.0.1${path}`, { method: "POST", body: Buffer.from(body), headers });
}

async function post(channel: Channel, body: string | Uint8Array, token: string | undefined): Promise<DeliveryAnswer> {
  const response = await channel.handleWebhook(requestOf(body, token, "/a2a/v1"), { signal: AbortSignal.timeout(10_000) });
  if (response.status === 503) return "unacknowledged";
  if (response.status >= 400) return "refused";
  const { error } = (await response.json()) as { readonly error?: { readonly code: number; readonly message: string } };
  if (error === undefined) return "acknowledged";
  return error.message.includes("send it again") ? "unacknowledged" : "refused";
}

function partsOf({ text, files = [] }: TestMessage): readonly object[] {
  const parts = files.map(({ name, bytes }) => ({ raw: Buffer.from(bytes).toString("base64"), filename: name }));
  return text === "" && parts.length > 0 ? parts : [{ text }, ...parts];
}
