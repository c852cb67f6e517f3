import { expect, test } from "vitest";
import { loadConfig } from "@factotum/config";
import { createMemoryLogger, realClock, realRandom } from "../../test/gateway-harness.ts";
import { createConfiguredModels } from "./configured-models.ts";

test("a model has one client as long as it is in use, and what was named once is forgotten", async () => {
  const environment = { FACTOTUM_HOME: "/nowhere", HOME: "/nowhere", ANTHROPIC_API_KEY: "sk-test-secret" };
  const loaded = await loadConfig({ env: environment, channels: [] });
  if (loaded.type !== "loaded") throw new Error("the test's configuration was refused");
  const models = createConfiguredModels({
    config: loaded.config,
    environment,
    fetch,
    clock: realClock,
    random: realRandom,
    logger: createMemoryLogger(),
    onSecret: () => undefined,
  });
  const used = await models.resolve("anthropic/used");
  const once = await models.resolve("anthropic/once");
  for (let count = 0; count < 300; count += 1) {
    await models.resolve(`anthropic/other-${count}`);
    expect(await models.resolve("anthropic/used")).toBe(used);
  }
  expect(await models.resolve("anthropic/once")).not.toBe(once);
});
