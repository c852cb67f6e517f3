import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleChannels, temporaryHome } from "../test/sample.ts";
import { loadConfig } from "./load-config.ts";
import type { PackageProvider } from "./package-providers.ts";

const brought: readonly PackageProvider[] = ["acme", "other"].map((id) => ({
  id,
  settings: { api: "openai-chat", baseUrl: `http://${id}.plugin.invalid/v1`, credentials: {}, models: [{ id: "large" }], timeouts: {} },
}));

test.each([
  [{}, ["acme", "other"]],
  [{ plugins: { deny: ["acme"] } }, ["other"]],
  [{ plugins: { allow: ["acme"] } }, ["acme"]],
  [{ plugins: { entries: { acme: { enabled: false }, other: {} } } }, ["other"]],
])("providers of packages that %j does not switch off are among those of the configuration", async (document, expected) => {
  await using home = await temporaryHome();
  await writeFile(join(home.home, "factotum.json5"), JSON.stringify(document));
  const result = await loadConfig({ env: home.env, channels: sampleChannels().channels, packageProviders: brought });
  expect(result.type === "loaded" && Object.keys(result.config.models.providers)).toEqual(expected);
});

test("an entry of the owner's takes the place of one of a package", async () => {
  await using home = await temporaryHome();
  const own = { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1" };
  await writeFile(join(home.home, "factotum.json5"), JSON.stringify({ models: { providers: { acme: own } } }));
  const result = await loadConfig({ env: home.env, channels: sampleChannels().channels, packageProviders: brought });
  expect(result.type === "loaded" && result.config.models.providers["acme"]).toMatchObject({ ...own, models: [] });
});
