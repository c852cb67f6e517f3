import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import { loadedModules } from "@factotum/testing-channels";
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
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createFeishuChannel({ appId: "a", appSecret: "s", domain: "feishu", transport: { type: "websocket" } }, { accountId: "a" });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("larksuite"))).toEqual([]);
});
