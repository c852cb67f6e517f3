import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createMemoryLogger, startTestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import type { ClientAddress } from "../access/client-address.ts";
import type { ClientServices } from "./client-services.ts";
import { ClientSockets } from "./client-sockets.ts";

const LOCAL: ClientAddress = { address: "127.0.0.1", isLocal: true, isShared: false };

test("clients that come at once, the first of them among them, are all served", async () => {
  await using running = await startTestGateway();
  const clients = await Promise.all(Array.from({ length: 5 }, () => TestClient.connect(running.gateway.url, running.token)));
  for (const client of clients) {
    expect(await client.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
    client[Symbol.dispose]();
  }
});

test("a first connection that breaks at once harms nothing", async () => {
  const sockets = new ClientSockets({ logger: createMemoryLogger() } as Partial<ClientServices> as ClientServices);
  const socket = new PassThrough();
  sockets.handleUpgrade(new IncomingMessage(new Socket()), { socket, head: Buffer.alloc(0), client: LOCAL });
  socket.emit("error", new Error("reset by the client"));
  expect(socket.destroyed).toBe(true);
  await sockets.close("it ends").catch(() => undefined);
});

test("a client that comes first after the close is refused", async () => {
  const sockets = new ClientSockets({} as ClientServices);
  await sockets.close("it ends");
  const socket = new PassThrough();
  sockets.handleUpgrade(new IncomingMessage(new Socket()), { socket, head: Buffer.alloc(0), client: LOCAL });
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /);
});
