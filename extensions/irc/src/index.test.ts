import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import { loadedModules } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { IrcConfigSchema, createIrcChannel, ircExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(ircExtension).toEqual({ id: "irc", api: 1, configSchema: IrcConfigSchema, create: createIrcChannel });
});

test("declares the network's limit of lines as the limit of sends", () => {
  const limitsOf = (flood: object) =>
    createIrcChannel(IrcConfigSchema.parse({ host: "h", nick: "n", flood }), new TestHost()).capabilities.limits;
  expect(limitsOf({})).toEqual({ sendRate: { count: 4, perMs: 8_000 } });
  expect(limitsOf({ intervalMs: 0 })).toBeUndefined();
});

test("importing the package and making a channel loads no library of the protocol", () => {
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createIrcChannel({ host: "h", nick: "n", tls: true, channels: [], flood: { burst: 1, intervalMs: 1 } }, { accountId: "a" });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("irc-framework"))).toEqual([]);
});
