import { expect, test } from "vitest";
import { loadConfig } from "@factotum/config";
import type { FactotumConfig } from "@factotum/config";
import { cacheLifetimeMs } from "@factotum/models";
import { createMemoryLogger, realClock, realRandom } from "../../test/gateway-harness.ts";
import { createConfiguredModels } from "./configured-models.ts";
import type { ModelSource } from "./model-source.ts";

/** The models of a configuration with only these providers. */
async function modelsOf(
  environment: Readonly<Record<string, string>>,
  providers: FactotumConfig["models"]["providers"] = {},
): Promise<ModelSource> {
  const env = { FACTOTUM_HOME: "/nowhere", HOME: "/nowhere", ...environment };
  const loaded = await loadConfig({ env, channels: [] });
  if (loaded.type !== "loaded") throw new Error("the test's configuration was refused");
  return createConfiguredModels({
    config: { ...loaded.config, models: { ...loaded.config.models, providers } },
    environment: env,
    fetch,
    clock: realClock,
    random: realRandom,
    logger: createMemoryLogger(),
    onSecret: () => undefined,
  });
}

test("a model has one client while it is in use, and one-time references are evicted", async () => {
  const models = await modelsOf({ ANTHROPIC_API_KEY: "sk-test-secret" });
  const used = await models.resolve("anthropic/used");
  const once = await models.resolve("anthropic/once");
  for (let count = 0; count < 300; count += 1) {
    await models.resolve(`anthropic/other-${count}`);
    expect(await models.resolve("anthropic/used")).toBe(used);
  }
  expect(await models.resolve("anthropic/once")).not.toBe(once);
});

test("the cache of a server at a local address does not expire, unless it serves a vendor's model", async () => {
  const own = { api: "openai-chat" as const, credentials: {}, models: [], timeouts: {} };
  const models = await modelsOf(
    {},
    { house: { ...own, baseUrl: "http://192.168.1.5:8000/v1" }, far: { ...own, baseUrl: "https://models.example/v1" } },
  );
  const lifetime = async (reference: string): Promise<number> => cacheLifetimeMs((await models.resolve(reference)).client.info, "short");
  expect(await lifetime("house/qwen3")).toBe(Number.POSITIVE_INFINITY);
  expect(await lifetime("house/claude-sonnet-5")).toBe(5 * 60_000);
  expect(await lifetime("far/qwen3")).toBe(5 * 60_000);
});
