import type { Product } from "@factotum/testing-product";
import type { MixedPlatform, ShownReply } from "./mixed-platform.ts";

const SESSIONS = Array.from({ length: 6 }, (_, index) => `agent:main:chat-${index}`);
const PAGES = 3;

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly text: string;
  readonly stopReason?: string;
}

interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly ok?: boolean;
  readonly result?: { readonly entries?: readonly Entry[] };
  readonly payload?: { readonly sessionKey?: string; readonly event?: { readonly type: string; readonly entry?: Entry } };
}

/** The page in the browser: one account and one person, whatever the configuration; three pages with six conversations. */
export function startWebchatMixedPlatform(): MixedPlatform {
  const entries = new Map<string, Map<string, Entry>>();
  const listeners: (() => void)[] = [];
  const pages: Page[] = [];
  const show = (sessionKey: string, fresh: readonly Entry[]): void => {
    const known = entries.get(sessionKey) ?? new Map<string, Entry>();
    entries.set(sessionKey, known);
    for (const entry of fresh) known.set(entry.id, entry);
    for (const listener of listeners) listener();
  };
  /** The first page shows the conversations, the others only send. */
  const openAll = async (product: Product): Promise<void> => {
    pages.splice(0);
    for (let page = 0; page < PAGES; page += 1) pages.push(await Page.open(product, show));
    for (const sessionKey of SESSIONS) {
      await pages[0]?.request("chat.subscribe", { sessionKey, limit: 200 }, (snapshot) => show(sessionKey, snapshot?.entries ?? []));
    }
  };
  return {
    name: "webchat",
    guarantee: { inbound: "redelivers", outbound: "once" },
    conversations: SESSIONS,
    kinds: ["message", "message", "message", "command"],
    allows: () => true,
    config: { owners: [], channels: {} },
    connected: openAll,
    create: () => undefined,
    async deliver({ id, conversation, text, person }, product) {
      const at = person % PAGES;
      // The page connects again when its connection is gone.
      const page = pages[at]?.isOpen === true ? pages[at] : await Page.open(product, show).catch(() => undefined);
      if (page === undefined) return false;
      pages[at] = page;
      return (await page.request("chat.send", { sessionKey: conversation, text, idempotencyKey: id })) !== undefined;
    },
    redelivers: () => true,
    disconnect() {
      for (const page of pages.slice(1)) page.close();
    },
    get shown() {
      return [...entries].flatMap(([conversation, all]) =>
        [...all.values()]
          .filter(({ type, stopReason }) => type === "notice" || (type === "assistant" && stopReason === "stop"))
          .map(({ id, text }): ShownReply => ({ id, conversation, text })),
      );
    },
    watch: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      for (const page of pages) page.close();
    },
  };
}

/** One connection of a page. */
class Page {
  readonly #socket: WebSocket;
  readonly #pending = new Map<string, (result: Frame["result"]) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open({ url, token }: Product, show: (sessionKey: string, entries: readonly Entry[]) => void): Promise<Page> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    const page = new Page(socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener("open", () => {
      const client = { name: "test", version: "0" };
      socket.send(JSON.stringify({ type: "connect", minProtocol: 1, maxProtocol: 99, client, auth: { token } }));
    });
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === "hello") resolve();
      if (frame.type === "res" && frame.id !== undefined)
        page.#pending.get(frame.id)?.(frame.ok === true ? (frame.result ?? {}) : undefined);
      const { sessionKey, event } = frame.payload ?? {};
      if (sessionKey !== undefined && event?.type === "entry" && event.entry !== undefined) show(sessionKey, [event.entry]);
    });
    const onEnd = (): void => {
      reject(new Error("the connection has ended"));
      for (const settle of page.#pending.values()) settle(undefined);
    };
    socket.addEventListener("error", onEnd);
    socket.addEventListener("close", onEnd);
    await promise;
    return page;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Resolves with the result, with `undefined` if it was refused or the connection ended. `onResult` is called before the next frame is read. */
  async request(method: string, params: object, onResult?: (result: Frame["result"]) => void): Promise<Frame["result"]> {
    if (!this.isOpen) return undefined;
    this.#lastId += 1;
    const id = String(this.#lastId);
    const { promise, resolve } = Promise.withResolvers<Frame["result"]>();
    this.#pending.set(id, (answer) => {
      onResult?.(answer);
      resolve(answer);
    });
    this.#socket.send(JSON.stringify({ type: "req", id, method, params }));
    const result = await promise;
    this.#pending.delete(id);
    return result;
  }

  close(): void {
    this.#socket.close();
  }
}
