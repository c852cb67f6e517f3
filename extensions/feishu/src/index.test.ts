import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { FeishuConfigSchema, createFeishuChannel, feishuExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(feishuExtension).toEqual({ id: "feishu", api: 1, configSchema: FeishuConfigSchema, create: createFeishuChannel });
});

test.each([
  [{ type: "websocket" }, { delivery: "redelivers", transport: "connection" }],
  [
    { type: "webhook", encryptKey: "k", verificationToken: "t" },
    { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" },
  ],
] as const)("declares the inbound path of %j", (transport, inbound) => {
  const channel = createFeishuChannel({ appId: "a", appSecret: "s", domain: "feishu", transport }, new TestHost());
  expect(channel.capabilities.inbound).toEqual(inbound);
});

test("importing the package and making a channel does not load the SDK", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createFeishuChannel } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    createFeishuChannel({ appId: "a", appSecret: "s", domain: "feishu", transport: { type: "websocket" } }, { accountId: "a" });
    console.log(JSON.stringify({ sdk: loaded.filter((url) => url.includes("larksuite")).length, all: loaded.length }));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const { sdk, all } = JSON.parse(output) as { sdk: number; all: number };
  expect(all).toBeGreaterThan(10);
  expect(sdk).toBe(0);
});
