import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
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
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createTelegramChannel({ token: "t", transport: { type: "polling" } }, { accountId: "a" });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("grammy"))).toEqual([]);
});
