import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeSampleChat } from "./fake-sample-chat.ts";

interface Waiting {
  readonly cursor: number;
  readonly payload: unknown;
  readonly settle: (isTaken: boolean) => void;
  wasSent: boolean;
}

/** The platform with its polls: an event is kept until it is asked for with a later cursor. */
export class FakeSampleChatEvents extends FakeSampleChat {
  /** How often the adapter has begun to poll since the start: each time it asks first who it is. */
  connections = 0;
  #events: Waiting[] = [];
  #cursor = 0;
  #breaksNext = false;
  #begins = false;
  readonly #polls = new Map<ServerResponse, number>();
  #waits: { count: number; resolve: () => void }[] = [];

  static override async start(): Promise<FakeSampleChatEvents> {
    const fake = new FakeSampleChatEvents();
    await fake.listen();
    return fake;
  }

  get open(): number {
    return this.#polls.size;
  }

  /** Adds an event; true once the adapter has asked for later ones, false if it asks for this one again. */
  add(payload: unknown): Promise<boolean> {
    this.#cursor += 1;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#events.push({ cursor: this.#cursor, payload, settle: resolve, wasSent: false });
    for (const [response, after] of this.#polls) this.#answerPoll(response, after);
    return promise;
  }

  async connected(count: number): Promise<void> {
    if (this.connections >= count) return;
    await new Promise<void>((resolve) => this.#waits.push({ count, resolve }));
  }

  disconnect(): void {
    // Between two polls the next one breaks.
    this.#breaksNext = this.#polls.size === 0;
    for (const response of this.#polls.keys()) response.destroy();
    this.#polls.clear();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.disconnect();
    for (const { settle } of this.#events.splice(0)) settle(false);
    await super[Symbol.asyncDispose]();
  }

  protected override answerEvents(request: IncomingMessage, response: ServerResponse): boolean {
    const url = new URL(request.url ?? "", this.baseUrl);
    if (url.pathname === "/v1/me") this.#begins = true;
    if (request.method !== "GET" || url.pathname !== "/v1/events") return false;
    if (this.#begins) {
      this.#begins = false;
      this.connections += 1;
      for (const { count, resolve } of this.#waits) if (this.connections >= count) resolve();
    }
    if (this.#breaksNext) {
      this.#breaksNext = false;
      response.destroy();
      return true;
    }
    const after = Number(url.searchParams.get("after") ?? 0);
    for (const { cursor, wasSent, settle } of this.#events) if (wasSent || cursor <= after) settle(cursor <= after);
    this.#events = this.#events.filter(({ cursor, wasSent }) => !wasSent && cursor > after);
    this.#polls.set(response, after);
    response.on("close", () => this.#polls.delete(response));
    this.#answerPoll(response, after);
    return true;
  }

  #answerPoll(response: ServerResponse, after: number): void {
    const events = this.#events.filter(({ cursor }) => cursor > after);
    if (events.length === 0) return;
    this.#polls.delete(response);
    for (const event of events) event.wasSent = true;
    const body = { events: events.map(({ cursor, payload }) => ({ cursor: String(cursor), payload })) };
    response.writeHead(200, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body));
  }
}
