import { describe, expect, test } from "vitest";
import { parseModelReference, type KnownModels } from "./model-reference.ts";

const known: KnownModels = {
  providers: ["anthropic", "openrouter", "local"],
  aliases: { opus: "anthropic/claude-opus", plain: "claude-plain" },
  defaultProvider: "anthropic",
  references: ["anthropic/claude-opus"],
};

describe("a model reference", () => {
  test.each([
    ["anthropic/claude-opus", "anthropic", "claude-opus"],
    ["openrouter/moonshotai/kimi-k2", "openrouter", "moonshotai/kimi-k2"],
    ["opus", "anthropic", "claude-opus"],
    ["plain", "anthropic", "claude-plain"],
    ["claude-sonnet", "anthropic", "claude-sonnet"],
    [" local/m ", "local", "m"],
  ])("%s", (text, provider, model) => {
    expect(parseModelReference(text, known)).toEqual({ type: "model", reference: { provider, model } });
  });

  test.each([
    ["opsu", "opus"],
    ["antropic/claude-opus", "anthropic/claude-opus"],
    ["locla/m", "local/m"],
  ])("%s is unknown and suggests the nearest, %s", (text, nearest) => {
    const result = parseModelReference(text, known);
    expect(result).toEqual({ type: "unknown", nearest, message: expect.stringContaining(`"${nearest}"`) as string });
  });

  test.each(["", "/x", "anthropic/", "moonshotai/kimi-k2"])("%j is unknown and suggests nothing", (text) => {
    const result = parseModelReference(text, known);
    expect(result.type).toBe("unknown");
    expect(result).not.toHaveProperty("nearest");
  });

  test.each(["/x", "anthropic/"])("%j lacks a half, and the message shows the form", (text) => {
    expect(parseModelReference(text, known)).toMatchObject({ message: expect.stringContaining("write provider/model") as string });
  });

  test("without a default model a bare name needs its provider", () => {
    expect(parseModelReference("some-model", { providers: ["a"], aliases: {} })).toMatchObject({ type: "unknown" });
  });
});
