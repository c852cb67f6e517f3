import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writtenReply, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const KEY = "sk-house-0123456789";

test("a model without native tool calls works with tools, with the second of two credentials, and status shows cooldowns", async () => {
  await using model = checkedOfficially(await startStrictServer("openai-chat", { apiKey: KEY }), "openai-chat");
  model.script([
    writtenReply({
      type: "message",
      content: [
        { type: "text", text: "I look." },
        { type: "toolCall", name: "read", arguments: { path: "note.txt" } },
      ],
    }),
    sayText("It says swordfish."),
  ]);
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "house/gpt-4o", models: { "house/gpt-4o": { alias: "own" } } } },
      models: {
        providers: {
          house: {
            api: "openai-chat",
            baseUrl: model.baseUrl,
            credentials: { old: { apiKey: "sk-house-refused" }, fresh: { apiKey: "${HOUSE_KEY}" } },
            models: [{ id: "gpt-4o", tools: "prompt" }],
          },
        },
      },
    },
    env: { HOUSE_KEY: KEY },
  });
  await mkdir(join(product.home, "workspace"), { recursive: true });
  await writeFile(join(product.home, "workspace", "note.txt"), "swordfish");
  const run = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home });

  expect((await run("agent", "--message", "what does the note say?")).stdout).toContain("It says swordfish.");
  const [refused, first, second, ...more] = model.requests;
  expect(more).toEqual([]);
  expect(refused?.violations).toHaveLength(1);
  expect([...(first?.violations ?? []), ...(second?.violations ?? [])]).toEqual([]);
  expect(first?.body).not.toHaveProperty("tools");
  expect(second?.bytes.toString()).toContain('<tool_result name=\\"read\\">\\nswordfish');

  const status = await run("status");
  expect(status.stdout).toContain("agent      main: house/gpt-4o (credentials old, fresh)");
  expect(status.stdout).toMatch(/! house\/\* \(old\) is not asked for \d+ minutes: unauthorized/);
  const context = await run("context");
  expect(context.stdout).toContain("key from fresh");
  expect(context.stdout).toMatch(/! house\/\* \(old\) is not asked until \S+Z: unauthorized/);
  expect(`${status.stdout}${context.stdout}${product.output()}`).not.toContain(KEY);
});
