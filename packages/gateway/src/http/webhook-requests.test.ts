import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Clock } from "@factotum/agent-contract";
import type { Channel } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

/** The maximum of unproven connections. */
const FLOOD = 256;
const BODY_TIMEOUT_MS = 3000;

interface Connection extends Disposable {
  write(text: string): void;
  /** Resolves with the head of the next answer. */
  answer(): Promise<string>;
  readonly closed: Promise<unknown>;
  readonly isClosed: () => boolean;
}

async function open({ gateway }: TestGateway): Promise<Connection> {
  const socket: Socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").setEncoding("utf8");
  // A connection that is closed for another may see a reset.
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  return {
    write: (text) => void socket.write(text),
    answer: async () => String((await once(socket, "data"))[0]),
    closed,
    isClosed: () => socket.closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Opens so many idle connections that every older unproven one was closed long before the last of them closed another. */
async function flood(running: TestGateway): Promise<Disposable> {
  using stack = new DisposableStack();
  const idle: Connection[] = [];
  for (let count = 0; count < 2 * FLOOD; count += 1) idle.push(stack.use(await open(running)));
  await idle[FLOOD - 1]?.closed;
  return stack.move();
}

const head = (length: number): string => `POST /channels/test/default HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n`;

/** A gateway whose only channel answers webhooks like this. */
function gatewayThat(handleWebhook: Channel["handleWebhook"], clock?: Clock): Promise<TestGateway> {
  const account = new TestPlatform().account();
  return startTestGateway({
    accounts: [{ ...account, create: async (host) => ({ ...(await account.create(host)), handleWebhook }) }],
    ...(clock !== undefined && { clock }),
  });
}

/** Accepts bodies that contain `signed`. */
const accepting: Channel["handleWebhook"] = async (request) =>
  new Response("", { status: (await request.text()) === "signed" ? 200 : 401 });

describe("a platform's connection", () => {
  test("is proven once its request is complete and accepted, and survives a flood", async () => {
    await using running = await gatewayThat(accepting);
    using connection = await open(running);
    connection.write(`${head(6)}signed`);
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 200 /);
    using _flood = await flood(running);
    connection.write(`${head(6)}signed`);
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("is not proven by a request that was refused", async () => {
    await using running = await gatewayThat(accepting);
    using connection = await open(running);
    connection.write(`${head(6)}forged`);
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 401 /);
    using _flood = await flood(running);
    expect(connection.isClosed()).toBe(true);
  });

  test("is not proven by an earlier request, nor by one with an incomplete body", async () => {
    let isBegun = Promise.withResolvers<void>();
    await using running = await gatewayThat((request, options) => {
      isBegun.resolve();
      return accepting(request, options);
    });
    using connection = await open(running);
    connection.write(`${head(6)}signed`);
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 200 /);
    isBegun = Promise.withResolvers<void>();
    connection.write(`${head(6)}sign`);
    await isBegun.promise;
    using _flood = await flood(running);
    expect(connection.isClosed()).toBe(true);
  });
});

test("a connection whose request has the token survives a flood", async () => {
  await using running = await gatewayThat(accepting);
  using connection = await open(running);
  const request = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${running.token}\r\n\r\n`;
  connection.write(request);
  expect(await connection.answer()).toMatch(/^HTTP\/1\.1 200 /);
  using _flood = await flood(running);
  connection.write(request);
  expect(await connection.answer()).toMatch(/^HTTP\/1\.1 200 /);
});

test("a complete request is not cut off, however slow its channel stores it", async () => {
  let passDeadline: (() => void) | undefined;
  const clock: Clock = {
    ...realClock,
    schedule: (delayMs, callback) => {
      if (delayMs !== BODY_TIMEOUT_MS) return realClock.schedule(delayMs, callback);
      passDeadline = callback;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  const [isThere, isStored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using running = await gatewayThat(async (request, { signal }) => {
    await request.text();
    isThere.resolve();
    await isStored.promise;
    return new Response("", { status: signal?.aborted === true ? 500 : 200 });
  }, clock);
  const answer = fetch(`${running.gateway.url}/channels/test/default`, { method: "POST", body: "signed" });
  await isThere.promise;
  passDeadline?.();
  isStored.resolve();
  expect((await answer).status).toBe(200);
  expect(passDeadline).toBeDefined();
});
