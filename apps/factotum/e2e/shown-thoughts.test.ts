import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import type { MessageReply } from "@factotum/testing-providers";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { checkedOfficially } from "./check-official.ts";
import { SCENE_MODELS } from "./scene-model.ts";
import { readStoredTranscript } from "./transcript.ts";

const THOUGHT: MessageReply = {
  type: "message",
  content: [
    { type: "thinking", text: "They greet me." },
    { type: "text", text: "Good day." },
  ],
};

test.each([
  ["anthropic-messages", "anthropic/claude-sonnet-4-6", (body: Body) => body.thinking, { type: "adaptive", display: "summarized" }],
  ["openai-responses", "openai/gpt-5.5", (body: Body) => body.reasoning, { summary: "auto" }],
  ["google-generative-ai", "google/gemini-2.5-flash", (body: Body) => body.generationConfig?.thinkingConfig, { includeThoughts: true }],
] as const)("/reasoning on requests thoughts at the default level over %s, and they come", async (format, reference, read, expected) => {
  await using model = checkedOfficially(await startStrictServer(format), format);
  model.script([sayText("Good day."), THOUGHT, THOUGHT, THOUGHT]);
  const { providers } = SCENE_MODELS[format].config(model.baseUrl);
  await using product = await startProduct({ config: { agents: { defaults: { model: reference } }, models: { providers } } });
  const run = (text: string, ...more: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(["agent", "--message", text, ...more], { home: product.home });

  expect(await run("hello")).toMatchObject({ stdout: "Good day.\n", stderr: "" });
  expect((await run("/reasoning on")).stdout).toContain("thoughts are shown before the reply.");
  expect(await run("hello")).toMatchObject({ stdout: "Good day.\n", stderr: "> They greet me.\n" });
  const asJson = JSON.parse((await run("hello", "--json")).stdout) as object;
  expect(asJson).toMatchObject({ text: "Good day.", thoughts: "They greet me." });
  expect((await run("/reasoning off")).stdout).toContain("hidden");
  expect(JSON.parse((await run("hello", "--json")).stdout)).not.toHaveProperty("thoughts");
  expect(model.requests.map(({ body }) => read((body ?? {}) as Body))).toEqual([undefined, expected, expected, undefined]);
  expect(model.violations).toEqual([]);
  await product.end("SIGTERM");
  expect(JSON.stringify(await readStoredTranscript(product.home))).toContain("They greet me.");
});

/** The fields about thinking in each format. */
interface Body {
  readonly thinking?: unknown;
  readonly reasoning?: unknown;
  readonly generationConfig?: { readonly thinkingConfig?: unknown };
}

test("a thinking level that the model does not take is reported once, on standard error or as a field", async () => {
  await using model = checkedOfficially(await startStrictServer("openai-responses"), "openai-responses");
  model.respond(() => sayText("Good day."));
  const { providers } = SCENE_MODELS["openai-responses"].config(model.baseUrl);
  const defaults = { model: "openai/gpt-4o", thinking: "high" };
  await using product = await startProduct({ config: { agents: { defaults }, models: { providers } } });
  const run = (...more: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(["agent", "--message", "hello", ...more], { home: product.home });
  const notice = /^factotum: openai\/gpt-4o .*: thinking is off in place of high\.\n$/;
  expect(await run()).toMatchObject({ stdout: "Good day.\n", stderr: expect.stringMatching(notice) as string });
  expect(await run()).toMatchObject({ stdout: "Good day.\n", stderr: "" });
  const asJson = await run("--session", "agent:main:other", "--json");
  expect(asJson.stderr).toBe("");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ notices: [expect.stringContaining("in place of high")] });
});

test("/reasoning on says that a model gives no thoughts", async () => {
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "openai/gpt-5.5" } },
      models: { providers: { openai: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-test" } } },
    },
  });
  const { stdout } = await runCommand(["agent", "--message", "/reasoning on"], { home: product.home });
  expect(stdout).toMatch(/openai\/gpt-5\.5 gives no thoughts, so there is nothing to show\. .*openai-responses/);
});
