import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDiscordChannel, DiscordConfigSchema, discordExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(discordExtension).toEqual({ id: "discord", api: 1, configSchema: DiscordConfigSchema, create: createDiscordChannel });
});

test("a token has the platform's form", () => {
  expect(DiscordConfigSchema.safeParse({ token: ["MTE3ODk4NzY1NDMyMTA5ODc2NQ", "GhIjKl", "dGhlLXNlY3JldA"].join(".") }).success).toBe(true);
  for (const token of ["the-token", "1178987654321098765", "Bot a.b.c", "a..c"]) {
    expect(DiscordConfigSchema.safeParse({ token }).error?.issues).toMatchObject([
      { path: ["token"], message: expect.stringContaining("token") as string },
    ]);
  }
});

test("importing the package and creating a channel does not load the libraries", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createDiscordChannel } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    createDiscordChannel({ token: "t" }, { accountId: "a", clock: { monotonic: () => 0 } });
    console.log(JSON.stringify({ sdk: loaded.filter((url) => url.includes("@discordjs")).length, all: loaded.length }));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const { sdk, all } = JSON.parse(output) as { sdk: number; all: number };
  expect(all).toBeGreaterThan(10);
  expect(sdk).toBe(0);
});
