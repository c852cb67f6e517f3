import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { CLOSE_CODES, PROTOCOL_VERSION, ServerFrameSchema } from "@factotum/protocol";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { type Product, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { checkedOfficially } from "./check-official.ts";

const ANSWER_CHARS = 400_000;
const SLOW_CLIENTS = 40;
/** Less than the 8 MiB that one client may leave unread. */
const REQUESTS_PER_CLIENT = 17;
/** A client that has not read the reason of its close after the half minute that `ws` waits is cut off without one (RFC 6455, 7.1.5). */
const CUT_OFF = 1006;
const HISTORY = { sessionKey: "agent:main:main" };

/** A client that can stop reading. */
class Client implements Disposable {
  readonly closed: Promise<number>;
  answers = 0;
  readonly #socket: WebSocket;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", (code) => resolve(code)));
    socket.on("message", (data: Buffer) => {
      const frame = ServerFrameSchema.parse(JSON.parse(data.toString()));
      if (frame.type !== "res") return;
      expect(frame.ok).toBe(true);
      this.answers += 1;
      this.#wake();
    });
  }

  static async connect({ url, token }: Product): Promise<Client> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await once(socket, "open");
    const client = new Client(socket);
    const hello = once(socket, "message");
    const auth = { token };
    client.#send({ type: "connect", minProtocol: 1, maxProtocol: PROTOCOL_VERSION, client: { name: "test", version: "0" }, auth });
    await hello;
    return client;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  request(method: string, params: unknown): void {
    this.#send({ type: "req", id: randomUUID(), method, params });
  }

  async waitForAnswers(count: number): Promise<"answered"> {
    while (this.answers < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return "answered";
  }

  #send(frame: unknown): void {
    this.#socket.send(JSON.stringify(frame));
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}

test("clients that stop reading are closed at 64 MiB in total, can reconnect, and disturb no other", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("a long word ".repeat(ANSWER_CHARS / 12)));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
  };
  await using product = await startProduct({ config });
  using fast = await Client.connect(product);
  fast.request("agent", { message: "Tell me a lot.", idempotencyKey: "1" });
  await fast.waitForAnswers(1);

  using slow = new DisposableStack();
  const clients: Client[] = [];
  for (let count = 0; count < SLOW_CLIENTS; count += 1) {
    const client = slow.use(await Client.connect(product));
    client.pause();
    clients.push(client);
    for (let request = 0; request < REQUESTS_PER_CLIENT; request += 1) client.request("chat.history", HISTORY);
    // Requests are answered in order: once this one is, the slow client's are.
    fast.request("chat.history", HISTORY);
    await fast.waitForAnswers(count + 2);
  }

  for (const client of clients) client.resume();
  const ends = await Promise.all(clients.map(async (client) => Promise.race([client.closed, client.waitForAnswers(REQUESTS_PER_CLIENT)])));
  expect(ends).toContain(CLOSE_CODES.slowConsumer);
  expect(ends).toContain("answered");
  for (const end of ends) expect([CLOSE_CODES.slowConsumer, CUT_OFF, "answered"]).toContain(end);

  using back = await Client.connect(product);
  back.request("chat.history", HISTORY);
  fast.request("status", {});
  await Promise.all([back.waitForAnswers(1), fast.waitForAnswers(SLOW_CLIENTS + 2)]);
});
