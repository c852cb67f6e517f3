import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
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
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createDiscordChannel({ token: "t" }, { accountId: "a", clock: { monotonic: () => 0 } });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("@discordjs"))).toEqual([]);
});
