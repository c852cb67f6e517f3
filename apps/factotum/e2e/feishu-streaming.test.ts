import type { FeishuCard } from "@factotum/testing-channels";
import { createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";

const TEXT = "This is **one** sentence of a long answer. ".repeat(20).trim();

/** The texts that the user sees, and whether each is complete: a card in streaming mode grows. */
function shown({ feishu }: FeishuScene): readonly (readonly [text: string, isComplete: boolean])[] {
  return feishu.sent.flatMap(({ content, deleted }) => {
    const { config, body } = content as Partial<FeishuCard>;
    return deleted ? [] : [[body?.elements[0]?.content ?? "", config?.streaming_mode === false] as const];
  });
}

test("an answer that grows is one streaming card, which is closed at the end", async () => {
  await using scene = await startFeishuScene(undefined, { account: { streaming: { mode: "partial" } } });
  const gate = createGate();
  scene.model.respond(() => ({ ...sayText(TEXT), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  await scene.push();
  await scene.waitForSent(1);
  const [[preview, isComplete] = ["?", true]] = shown(scene);
  expect(TEXT.startsWith(preview)).toBe(true);
  expect([preview === TEXT, isComplete]).toEqual([false, false]);
  gate.open();
  await expect.poll(() => shown(scene), { timeout: 20_000 }).toEqual([[TEXT, true]]);
});

test("an answer that a crash cut off is completed in one message after the restart", async () => {
  await using scene = await startFeishuScene(undefined, { account: { streaming: { mode: "partial" } } });
  const gate = createGate();
  scene.model.respond(() => ({ ...sayText(TEXT), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  await scene.push();
  await scene.waitForSent(1);
  scene.model.respond(() => sayText(TEXT));
  await scene.killAndStart();
  gate.open();
  await expect.poll(() => shown(scene), { timeout: 30_000 }).toEqual([[TEXT, true]]);
});
