import { PassThrough } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { serveOnStdio } from "./index.ts";

interface Scene {
  readonly input: PassThrough;
  /** Resolves with the next line. */
  readonly line: () => Promise<string>;
  readonly stop: AbortController;
  readonly served: Promise<void>;
}

function startScene(): Scene {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const createServer = (): McpServer => new McpServer({ name: "test", version: "0" }, { capabilities: { tools: {} } });
  const served = serveOnStdio(createServer, { input, output, signal: stop.signal, onError: () => undefined });
  const lines = output.iterator({ destroyOnReturn: false });
  return { input, stop, served, line: async () => String((await lines.next()).value) };
}

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n';

test("answers until the client closes its end", async () => {
  const { input, line, served } = startScene();
  input.write(PING);
  expect(JSON.parse(await line())).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  input.end();
  await served;
});

test("ends when it is stopped", async () => {
  const { input, line, stop, served } = startScene();
  input.write(PING);
  await line();
  stop.abort();
  await served;
});

test("goes on after a line that is no message", async () => {
  const { input, line, served } = startScene();
  input.write("{ broken }\n");
  input.write(PING);
  expect(JSON.parse(await line())).toMatchObject({ id: 7 });
  input.end();
  await served;
});
