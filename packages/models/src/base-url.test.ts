import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLocalUrl, normalizeBaseUrl } from "./base-url.ts";
import { PROVIDERS } from "./providers.ts";
import { defaultTimeouts } from "./timeouts.ts";

describe("normalizeBaseUrl", () => {
  test.each([
    ["https://api.anthropic.com", "anthropic-messages", "https://api.anthropic.com/v1"],
    ["https://api.anthropic.com/v1/", "anthropic-messages", "https://api.anthropic.com/v1"],
    ["http://127.0.0.1:4010", "openai-responses", "http://127.0.0.1:4010/v1"],
    ["https://openrouter.ai/api", "openai-chat", "https://openrouter.ai/api/v1"],
    ["https://open.bigmodel.cn/api/paas/v4", "openai-chat", "https://open.bigmodel.cn/api/paas/v4"],
    ["https://generativelanguage.googleapis.com", "google-generative-ai", "https://generativelanguage.googleapis.com/v1beta"],
    ["https://generativelanguage.googleapis.com/v1beta", "google-generative-ai", "https://generativelanguage.googleapis.com/v1beta"],
    ["https://generativelanguage.googleapis.com/v1beta/openai/", "openai-chat", "https://generativelanguage.googleapis.com/v1beta/openai"],
    ["https://api.perplexity.ai", "openai-chat", "https://api.perplexity.ai"],
  ] as const)("%s becomes %s", (baseUrl, api, expected) => {
    expect(normalizeBaseUrl(baseUrl, api)).toBe(expected);
  });

  test("a normal address is unchanged", () => {
    fc.assert(
      fc.property(
        fc.webUrl({ validSchemes: ["http", "https"] }),
        fc.constantFrom("openai-chat" as const, "google-generative-ai" as const),
        (url, api) => {
          const once = normalizeBaseUrl(url, api);
          expect(normalizeBaseUrl(once, api)).toBe(once);
        },
      ),
    );
  });

  test("every known provider's address is normal", () => {
    for (const { api, baseUrl } of Object.values(PROVIDERS)) if (api !== "demo") expect(normalizeBaseUrl(baseUrl, api)).toBe(baseUrl);
  });

  test.each(["", "localhost:11434", "file:///etc/passwd", "ftp://host/v1"])("%j is refused with a correction", (baseUrl) => {
    expect(() => normalizeBaseUrl(baseUrl, "openai-chat")).toThrow(/http or https/);
  });
});

describe("limits by address", () => {
  test.each([
    "http://localhost:1",
    "http://127.0.0.1:1",
    "http://10.1.2.3",
    "http://172.20.0.4",
    "http://192.168.1.9:8080",
    "http://[::1]:80",
    "http://[fd00::1]",
    "http://gpu.local",
  ])("%s is local and may have to load its model first", (url) => {
    expect(isLocalUrl(url)).toBe(true);
    expect(defaultTimeouts(url)).toEqual({ connectMs: 10_000, firstEventMs: 300_000, idleMs: 120_000 });
  });

  test.each(["https://api.openai.com/v1", "http://172.32.0.1", "http://11.0.0.1", "https://localhost.example.com", "no address"])(
    "%s is not local",
    (url) => {
      expect(defaultTimeouts(url)).toEqual({ connectMs: 10_000, firstEventMs: 120_000, idleMs: 60_000 });
    },
  );
});
