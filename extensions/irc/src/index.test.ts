import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { IrcConfigSchema, createIrcChannel, ircExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(ircExtension).toEqual({ id: "irc", api: 1, configSchema: IrcConfigSchema, create: createIrcChannel });
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
