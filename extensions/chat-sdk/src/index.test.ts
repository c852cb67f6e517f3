import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { chatSdkExtension, ChatSdkConfigSchema, createChatSdkChannel } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(chatSdkExtension).toEqual({ id: "chat-sdk", api: 1, configSchema: ChatSdkConfigSchema, create: createChatSdkChannel });
});

test.each(["../adapter", "/tmp/adapter", "file:x", "Sample", "a/b/c", "name@1.0.0", "@scope", ""])(
  "the name of an adapter is not %j",
  (adapter) => {
    expect(ChatSdkConfigSchema.safeParse({ adapter }).success).toBe(false);
  },
);

test("an account needs the name of its adapter alone", () => {
  expect(ChatSdkConfigSchema.parse({ adapter: "@chat-adapter/some" })).toEqual({ adapter: "@chat-adapter/some", options: {} });
});

test("importing the package and making a channel loads neither the SDK nor an adapter", () => {
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createChatSdkChannel({ adapter: "@chat-adapter/telegram", options: {} }, { accountId: "a" });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => /node_modules\/(?:chat|@chat-adapter)\//.test(url))).toEqual([]);
});
