import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/fake-clock.ts";
import { createOllamaProbe, ollamaContextNote, readOllamaContext } from "./ollama-server.ts";

describe("createOllamaProbe", () => {
  const clock = new FakeClock();
  const probeWith = (answer: typeof fetch): Promise<readonly string[] | undefined> =>
    createOllamaProbe({ fetch: answer, clock })("http://127.0.0.1:11434");

  test("reads the model names", async () => {
    const asked: string[] = [];
    const names = await probeWith((input) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      return Promise.resolve(Response.json({ models: [{ name: "a:1" }, { name: "b:2" }, {}] }));
    });
    expect(names).toEqual(["a:1", "b:2"]);
    expect(asked).toEqual(["http://127.0.0.1:11434/api/tags"]);
  });

  test("accepts any other server on that port", async () => {
    expect(await probeWith(() => Promise.resolve(new Response("<html>")))).toBeUndefined();
    expect(await probeWith(() => Promise.resolve(Response.json([1])))).toBeUndefined();
    expect(await probeWith(() => Promise.resolve(Response.json({}, { status: 401 })))).toBeUndefined();
    expect(await probeWith(() => Promise.reject(new TypeError("fetch failed")))).toBeUndefined();
  });

  test("waits half a second at most", async () => {
    const running = probeWith(
      (_input, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    );
    await clock.whenSet(500);
    clock.advance(500);
    expect(await running).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});

describe("readOllamaContext", () => {
  const clock = new FakeClock();
  const read = (model: string, body: unknown, asked: string[] = []): Promise<number | undefined> =>
    readOllamaContext("http://127.0.0.1:11434/v1", model, {
      clock,
      fetch: (input) => {
        asked.push(input instanceof Request ? input.url : input.toString());
        return Promise.resolve(Response.json(body));
      },
    });
  const LOADED = { models: [{ name: "llama3.3:latest" }, { name: "qwen3:8b", context_length: 4096 }] };

  test("returns the context of a loaded model, by its full name", async () => {
    const asked: string[] = [];
    expect(await read("qwen3:8b", LOADED, asked)).toBe(4096);
    expect(asked).toEqual(["http://127.0.0.1:11434/api/ps"]);
    expect(await read("qwen3:8b", { models: [{ name: "qwen3:14b", context_length: 1 }] })).toBeUndefined();
    expect(await read("mistral", { models: [{ name: "mistral:latest", context_length: 8192 }] })).toBe(8192);
  });

  test("returns undefined for a model that is not loaded, an older server, or another server", async () => {
    expect(await read("gemma", LOADED)).toBeUndefined();
    expect(await read("llama3.3", LOADED)).toBeUndefined();
    expect(await read("qwen3:8b", { models: 7 })).toBeUndefined();
  });
});

test("the note names the context if it is known, says what to do, and is omitted if the context suffices", () => {
  expect(ollamaContextNote("qwen3:8b", 32_768, 4096)).toMatch(/^Ollama runs qwen3:8b with 4096 tokens.*OLLAMA_CONTEXT_LENGTH=32768\.$/);
  expect(ollamaContextNote("qwen3:8b", 32_768, undefined)).toMatch(/^Ollama gives qwen3:8b 4,096 tokens.*OLLAMA_CONTEXT_LENGTH=32768\.$/);
  expect(ollamaContextNote("qwen3:8b", 32_768, 32_767)).toBeDefined();
  expect(ollamaContextNote("qwen3:8b", 32_768, 32_768)).toBeUndefined();
});
