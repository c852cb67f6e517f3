import { describe, expect, test } from "vitest";
import { FakeClock } from "../test/fake-clock.ts";
import { createOllamaProbe, defaultModelFromEnvironment } from "./default-model.ts";

const nobody = (): Promise<undefined> => Promise.resolve(undefined);

describe("defaultModelFromEnvironment", () => {
  const KEYS = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", GEMINI_API_KEY: "c", MISTRAL_API_KEY: "d" };

  test("takes the vendors in their order, and names the key without holding it", async () => {
    const order: string[] = [];
    const environment: Record<string, string> = { ...KEYS };
    for (const name of Object.keys(KEYS)) {
      const model = await defaultModelFromEnvironment(environment, { probeOllama: () => Promise.reject(new Error("must not be asked")) });
      expect(model.provider.apiKey).toEqual({ env: name });
      expect(model.reason).toContain(name);
      order.push(model.provider.id);
      expect(model.reference.startsWith(`${model.provider.id}/`)).toBe(true);
      delete environment[name];
    }
    expect(order).toEqual(["anthropic", "openai", "google", "mistral"]);
  });

  test("an empty key is none", async () => {
    expect((await defaultModelFromEnvironment({ ANTHROPIC_API_KEY: " ", MISTRAL_API_KEY: "d" }, { probeOllama: nobody })).provider.id).toBe(
      "mistral",
    );
  });

  test("without a key, the first chat model of a local Ollama", async () => {
    const model = await defaultModelFromEnvironment({}, { probeOllama: () => Promise.resolve(["nomic-embed-text:latest", "qwen3:8b"]) });
    expect(model).toMatchObject({
      reference: "ollama/qwen3:8b",
      provider: { id: "ollama", api: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1" },
    });
  });

  test.each([
    [undefined, "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":8000", "http://127.0.0.1:8000"],
    ["gpu-box:9000", "http://gpu-box:9000"],
    ["https://ollama.example/", "https://ollama.example"],
    ["::not an address::", "http://127.0.0.1:11434"],
  ])("OLLAMA_HOST %s means %s", async (host, address) => {
    const asked: string[] = [];
    await defaultModelFromEnvironment({ OLLAMA_HOST: host }, { probeOllama: (url) => (asked.push(url), nobody()) });
    expect(asked).toEqual([address]);
  });

  test("with nothing at all, the demo model, and the reason says what is missing", async () => {
    const none = await defaultModelFromEnvironment({}, { probeOllama: nobody });
    expect(none).toMatchObject({ reference: "demo/demo", provider: { id: "demo", api: "demo" } });
    expect(none.reason).toContain("no Ollama answers");
    expect((await defaultModelFromEnvironment({}, { probeOllama: () => Promise.resolve([]) })).reason).toContain("ollama pull");
  });
});

describe("createOllamaProbe", () => {
  const clock = new FakeClock();
  const probeWith = (answer: typeof fetch): Promise<readonly string[] | undefined> =>
    createOllamaProbe({ fetch: answer, clock })("http://127.0.0.1:11434");

  test("reads the names", async () => {
    const asked: string[] = [];
    const names = await probeWith((input) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      return Promise.resolve(Response.json({ models: [{ name: "a:1" }, { name: "b:2" }, {}] }));
    });
    expect(names).toEqual(["a:1", "b:2"]);
    expect(asked).toEqual(["http://127.0.0.1:11434/api/tags"]);
  });

  test("is content with anything else that listens there", async () => {
    expect(await probeWith(() => Promise.resolve(new Response("<html>")))).toBeUndefined();
    expect(await probeWith(() => Promise.resolve(Response.json([1])))).toBeUndefined();
    expect(await probeWith(() => Promise.resolve(Response.json({}, { status: 401 })))).toBeUndefined();
    expect(await probeWith(() => Promise.reject(new TypeError("fetch failed")))).toBeUndefined();
  });

  test("waits half a second, no longer", async () => {
    const running = probeWith(
      (_input, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    );
    await clock.whenSet(500);
    clock.advance(500);
    expect(await running).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});
