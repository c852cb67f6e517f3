import { beforeEach, expect, test } from "vitest";
import { createMemoryLogger, realClock } from "../../test/gateway-harness.ts";
import { createEnvironmentDefault } from "./environment-default.ts";

let nowMs: number;
/** Ollama's models; `undefined` while it does not run. */
let models: readonly string[] | undefined;
let probes: number;
let logger: ReturnType<typeof createMemoryLogger>;
beforeEach(() => {
  nowMs = 0;
  models = undefined;
  probes = 0;
  logger = createMemoryLogger();
});

const fake: typeof fetch = () => {
  probes += 1;
  if (models === undefined) return Promise.reject(new TypeError("fetch failed"));
  return Promise.resolve(Response.json({ models: models.map((name) => ({ name })) }));
};

function createFind(environment: Readonly<Record<string, string>> = {}): () => Promise<string> {
  const clock = { ...realClock, monotonic: () => nowMs };
  const find = createEnvironmentDefault({ environment, ollamaBaseUrl: undefined, fetch: fake, clock, logger });
  return async () => (await find()).reference;
}

test("detects an Ollama that starts later, and does not query it again once it has a model", async () => {
  const find = createFind();
  expect(await find()).toBe("demo/demo");
  models = [];
  nowMs = 2_000;
  expect(await find()).toBe("demo/demo");
  models = ["qwen3:8b"];
  nowMs = 4_000;
  expect(await find()).toBe("ollama/qwen3:8b");
  expect(logger.lines.filter((line) => line.includes("The default model has changed"))).toHaveLength(1);
  models = undefined;
  nowMs = 60_000;
  expect(await find()).toBe("ollama/qwen3:8b");
  expect(probes).toBe(3);
});

test("queries once for concurrent calls and for calls within two seconds", async () => {
  const find = createFind();
  await Promise.all([find(), find()]);
  nowMs = 1_999;
  await find();
  expect(probes).toBe(1);
});

test("queries no server while a key decides", async () => {
  expect(await createFind({ GROQ_API_KEY: "gsk-test" })()).toBe("groq/openai/gpt-oss-120b");
  expect(probes).toBe(0);
});

test("a failed search is not cached: the next call searches again", async () => {
  const failing = new Error("no timers are left");
  let fails = true;
  const clock: typeof realClock = {
    ...realClock,
    monotonic: () => nowMs,
    schedule: (...args) => {
      if (fails) throw failing;
      return realClock.schedule(...args);
    },
  };
  const find = createEnvironmentDefault({ environment: {}, ollamaBaseUrl: undefined, fetch: fake, clock, logger });
  models = ["qwen3:8b"];
  await expect(find()).rejects.toBe(failing);
  fails = false;
  expect((await find()).reference).toBe("ollama/qwen3:8b");
});
