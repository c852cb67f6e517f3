import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTelegramChannel, TelegramConfigSchema, telegramExtension } from "./index.ts";

test("the extension exports its schema and its constructor", () => {
  expect(telegramExtension).toEqual({ id: "telegram", api: 1, configSchema: TelegramConfigSchema, create: createTelegramChannel });
});

test("a token has the platform's form", () => {
  expect(TelegramConfigSchema.safeParse({ token: ["110201543", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"].join(":") }).success).toBe(true);
  for (const token of ["the-token", "@ada_bot", "110201543", "110201543:short"]) {
    expect(TelegramConfigSchema.safeParse({ token }).error?.issues).toMatchObject([
      { path: ["token"], message: expect.stringContaining("token") as string },
    ]);
  }
});

test("importing the package and creating a channel does not load the SDK", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createTelegramChannel } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    createTelegramChannel({ token: "t", transport: { type: "polling" } }, { accountId: "a" });
    console.log(JSON.stringify({ sdk: loaded.filter((url) => url.includes("grammy")).length, all: loaded.length }));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const { sdk, all } = JSON.parse(output) as { sdk: number; all: number };
  expect(all).toBeGreaterThan(10);
  expect(sdk).toBe(0);
});
