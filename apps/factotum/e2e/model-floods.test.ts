import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { runCommand, startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const MIB = 1024 ** 2;
const chunk = (content: string): string => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A server of the chat format that sends the same chunk until the client hangs up. */
let pieces: readonly [first: string, again: string];
let sent: Promise<number>;
const server = createServer((request, response) => {
  request.resume().once("end", () => {
    sent = flood(response, pieces);
  });
});

async function flood(response: ServerResponse, [first, again]: typeof pieces): Promise<number> {
  let bytes = 0;
  response.writeHead(200, { "content-type": "text/event-stream" }).write(first);
  const closed = new Promise<number>((resolve) => response.once("close", () => resolve(bytes)));
  const pump = (): void => {
    bytes += again.length;
    if (!response.destroyed) response.write(again, pump);
  };
  pump();
  return closed;
}

beforeEach(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

describe("an endless model server", () => {
  test.each([
    ["a line without an end", "data: ", "x".repeat(64 * 1024), /house\/m failed: it sent an event of more than 4 MiB/],
    [
      "text without an end",
      "",
      chunk("x".repeat(16 * 1024)),
      /The answer of house\/m grew too long: it was stopped at 1,048,576 characters/,
    ],
  ])("is stopped at a limit when it sends %s, and the owner and the log get the reason", async (_name, first, again, reason) => {
    pieces = [first, again];
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    await using product = await startProduct({
      config: { agents: { defaults: { model: "house/m" } }, models: { providers: { house: { api: "openai-chat", baseUrl } } } },
    });
    const asked = await runCommand(["agent", "--message", "hello"], { home: product.home });
    expect(asked.code).not.toBe(0);
    expect(asked.stderr + asked.stdout).toMatch(reason);
    expect(await sent).toBeLessThan(16 * MIB);
    expect(product.output()).toMatch(reason);
    expect((await runCommand(["status"], { home: product.home })).code).toBe(0);
  });
});
