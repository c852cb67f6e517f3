import { expect, test } from "vitest";
import { describeKey } from "./describe-key.ts";

test("a key is described with its values, its default and what a change needs", () => {
  expect(describeKey("gateway.port", [])).toMatchObject({ default: 18790, isActive: true, needsRestart: true });
  expect(describeKey("messages.queue.cap", [])).toMatchObject({ default: 20, isActive: true, needsRestart: false });
  expect(JSON.stringify(describeKey("tools.exec.mode", []))).toMatch(/"enum":\[[^\]]*"allowlist"/);
});

test("a key that this build has no effect of says so", () => {
  expect(describeKey('agents.defaults.models["openai/gpt-5.5"].params.temperature', [])).toMatchObject({ isActive: false });
});

test("an object shows the names of its keys alone, and a secret only how it is referred to", () => {
  const provider = JSON.stringify(describeKey("models.providers.anthropic", []));
  expect(provider).toContain("a reference such as {env: ");
  const tools = describeKey("tools", []);
  expect(JSON.stringify(tools)).toContain('"exec"');
  expect(JSON.stringify(tools)).not.toContain('"enum"');
});

test("a key that does not exist is not described, and an invalid path is an error", () => {
  expect(describeKey("gateway.prot", [])).toBeUndefined();
  expect(() => describeKey("gateway..port", [])).toThrow(/is no key/);
});
