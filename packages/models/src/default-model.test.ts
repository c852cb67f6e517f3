import { describe, expect, test } from "vitest";
import { DEFAULT_KEY_VARIABLES, defaultModelFromEnvironment } from "./default-model.ts";

const nobody = (): Promise<undefined> => Promise.resolve(undefined);

describe("defaultModelFromEnvironment", () => {
  const KEYS = {
    ANTHROPIC_API_KEY: "anthropic",
    OPENAI_API_KEY: "openai",
    GEMINI_API_KEY: "google",
    GOOGLE_API_KEY: "google",
    MISTRAL_API_KEY: "mistral",
    XAI_API_KEY: "xai",
    DEEPSEEK_API_KEY: "deepseek",
    OPENROUTER_API_KEY: "openrouter",
    GROQ_API_KEY: "groq",
  };

  test("takes the vendors in order, and names the key's variable without copying its value", async () => {
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
    expect(order).toEqual(Object.values(KEYS));
    expect(DEFAULT_KEY_VARIABLES).toEqual(Object.keys(KEYS));
  });

  test("an empty key counts as missing", async () => {
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

  test("queries the server in OLLAMA_HOST", async () => {
    const model = await defaultModelFromEnvironment({ OLLAMA_HOST: "gpu-box:9000" }, { probeOllama: async () => ["qwen3:8b"] });
    expect(model.provider.baseUrl).toBe("http://gpu-box:9000/v1");
    const configured = { probeOllama: async () => ["qwen3:8b"], ollamaBaseUrl: "http://10.0.0.7:11434/v1/" };
    expect((await defaultModelFromEnvironment({ OLLAMA_HOST: "gpu-box:9000" }, configured)).provider.baseUrl).toBe(
      "http://10.0.0.7:11434/v1",
    );
  });

  test("falls back to the demo model, and the reason says what is missing", async () => {
    const none = await defaultModelFromEnvironment({}, { probeOllama: nobody });
    expect(none).toMatchObject({ reference: "demo/demo", provider: { id: "demo", api: "demo" } });
    expect(none.reason).toContain("no Ollama answers");
    expect((await defaultModelFromEnvironment({}, { probeOllama: () => Promise.resolve([]) })).reason).toContain("ollama pull");
  });
});
