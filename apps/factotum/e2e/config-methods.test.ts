import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROTOCOL_VERSION, RPC_EVENTS, ServerFrameSchema } from "@factotum/protocol";
import { runCommand, startProduct, type Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const TEXT = `{
  // a remark
  agents: { defaults: { model: "demo/demo" } },
  models: { providers: {
    house: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "canary-house-key" },
    // A local server takes every key.
    llama: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "llama" },
  } },
}
`;

/** Another client, which waits for the first change. */
async function watch({ url, token }: Product): Promise<{ readonly first: Promise<unknown>; [Symbol.dispose](): void }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const [ready, first] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  const connect = {
    type: "connect",
    minProtocol: 1,
    maxProtocol: PROTOCOL_VERSION,
    client: { name: "watch", version: "0" },
    auth: { token },
  };
  socket.addEventListener("open", () => socket.send(JSON.stringify(connect)));
  socket.addEventListener("message", ({ data }) => {
    const frame = ServerFrameSchema.parse(JSON.parse(String(data)));
    if (frame.type === "hello") ready.resolve();
    if (frame.type === "event" && frame.event === "config-change") first.resolve(RPC_EVENTS["config-change"].parse(frame.payload));
  });
  await ready.promise;
  return { first: first.promise, [Symbol.dispose]: () => socket.close() };
}

test("clients read and change the file without its secrets, never over another change, and hear of each change", async () => {
  await using product = await startProduct({ config: {} });
  const file = join(product.home, "factotum.json5");
  const { url, token } = product;
  using client = await RpcClient.connect({ url, token, version: "test" });
  await writeFile(file, TEXT);
  // The gateway may have seen the file itself by then.
  expect((await client.request("config.reload", {})).type).toMatch(/^(?:applied|unchanged)$/);

  const { schema } = await client.request("config.schema", {});
  expect(JSON.stringify(schema)).toContain('"x-secret":true');
  expect(JSON.stringify(schema)).not.toContain("x-inactive");
  const view = await client.request("config.get", {});
  expect(view).toMatchObject({ source: "file", format: "json5", written: { agents: { defaults: { model: "demo/demo" } } }, problems: [] });
  expect(view.effective).toMatchObject({ session: { reset: { mode: "daily" } }, models: { providers: { house: { apiKey: view.mark } } } });
  expect(view.text).toContain("// a remark");
  // A short key is hidden at its place alone.
  expect(view.text).toContain(`llama: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "${view.mark}" }`);
  expect(JSON.stringify(view)).not.toContain("canary");
  expect(JSON.stringify(view)).not.toContain(token);

  using watching = await watch(product);
  const patch = { agents: { defaults: { userTimezone: "Europe/Berlin" } }, models: { providers: { house: { apiKey: view.mark } } } };
  const { baseHash } = view;
  const planned = await client.request("config.patch", { baseHash, patch, dryRun: true });
  expect(planned).toMatchObject({ type: "planned", differences: [{ type: "added", path: "agents.defaults.userTimezone" }], baseHash });
  expect(await readFile(file, "utf8")).toBe(TEXT);
  const done = await client.request("config.patch", { baseHash, patch });
  expect(done).toMatchObject({ type: "applied", keptComments: true, needsRestart: [], text: planned.text });
  const written = await readFile(file, "utf8");
  for (const kept of ["// a remark", "canary-house-key", "Europe/Berlin"]) expect(written).toContain(kept);
  expect(await watching.first).toMatchObject({ type: "applied", changed: ["agents.defaults.userTimezone"] });

  // The page's other tab has the version from before.
  await expect(client.request("config.patch", { baseHash, text: "{}" })).rejects.toMatchObject({ code: "conflict" });
  const wrong = { baseHash: done.baseHash, patch: { gateway: { port: "many" } } };
  await expect(client.request("config.patch", wrong)).rejects.toMatchObject({ code: "invalid-request", message: /gateway\.port/ });
  expect(await readFile(file, "utf8")).toBe(written);

  const text = (done.text ?? "").replace("// a remark", "// another remark").replace("Europe/Berlin", "Asia/Shanghai");
  const replaced = await client.request("config.patch", {
    baseHash: done.baseHash,
    text: text.replace("{\n", "{\n  gateway: { port: 4711 },\n"),
  });
  expect(replaced).toMatchObject({ type: "applied", needsRestart: ["gateway.port"] });
  expect(await readFile(file, "utf8")).toMatch(/\/\/ another remark[^]*canary-house-key/);

  const broken = "{ models: { providers: { house: { apiKey: 'canary-house-key'";
  await writeFile(file, broken);
  const unreadable = await client.request("config.get", {});
  expect(unreadable).toMatchObject({ source: "last-good", problems: [{ type: "syntax", line: 1 }] });
  expect(unreadable).not.toHaveProperty("text");
  expect(JSON.stringify(unreadable)).not.toContain("canary");
  expect(await client.request("config.patch", { baseHash: unreadable.baseHash, text: "{}" })).toMatchObject({ type: "applied" });

  // The other methods of the page, and the commands that do the same.
  const say = async (...args: readonly string[]): Promise<string> => (await runCommand(args, { home: product.home })).stdout;
  await say("agent", "--message", "Where is the oolong, 乌龙茶?");
  expect(await say("sessions", "search", "乌龙茶")).toContain("Where is the oolong");
  expect(await say("trace")).toMatch(/received on [^]*request 1 to demo\/demo[^]*turn ended: done/);
  expect(await say("usage", "--by", "model", "cause")).toMatch(/demo\/demo +user[^]*spend\.unattended/);
  expect(await say("commands", "list")).toContain("/new, /reset [MODEL | default]");
  const { lines, cursor } = await client.request("logs.tail", { text: "configuration", limit: 5 });
  expect(lines.map(({ message }) => message)).toContain("The configuration has changed and is in use");
  expect((await client.request("logs.tail", { after: cursor, level: "error" })).lines).toEqual([]);
  expect(product.output()).not.toContain("canary");
});
