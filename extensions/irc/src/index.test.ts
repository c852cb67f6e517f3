import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
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
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createIrcChannel } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    createIrcChannel({ host: "h", nick: "n", tls: true, channels: [], flood: { burst: 1, intervalMs: 1 } }, { accountId: "a" });
    console.log(JSON.stringify({ library: loaded.filter((url) => url.includes("irc-framework")).length, all: loaded.length }));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const { library, all } = JSON.parse(output) as { library: number; all: number };
  expect(all).toBeGreaterThan(10);
  expect(library).toBe(0);
});
