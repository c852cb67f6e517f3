import type { FeishuCard } from "@factotum/testing-channels";
import { createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";

const TEXT = "This is **one** sentence of a long answer. ".repeat(20).trim();

/** The texts that the user sees, and whether they still grow. */
function shown({ feishu }: FeishuScene): readonly { readonly text: string; readonly grows: boolean }[] {
  return feishu.sent.flatMap(({ content, deleted }) => {
    const { body, config } = content as FeishuCard;
    return deleted ? [] : [{ text: body.elements[0]?.content ?? "", grows: config?.streaming_mode === true }];
  });
}

test("an answer grows in one card, which is closed with its text", async () => {
  await using scene = await startFeishuScene(undefined, { account: { streaming: { mode: "partial" } } });
  const gate = createGate();
  scene.model.respond(() => ({ ...sayText(TEXT), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  await scene.push();
  await scene.waitForSent(1);
  const [preview] = shown(scene);
  expect(preview?.grows).toBe(true);
  expect(TEXT.startsWith(preview?.text ?? "?")).toBe(true);
  expect(preview?.text).not.toBe(TEXT);
  gate.open();
  await expect.poll(() => shown(scene), { timeout: 20_000 }).toEqual([{ text: TEXT, grows: false }]);
});

test.each([
  ["after its card was accepted", false],
  ["before the receipt of its card arrived", true],
])("an answer that a crash cut off %s is completed in it after the restart", async (_, isHeld) => {
  await using scene = await startFeishuScene(undefined, { account: { streaming: { mode: "partial" } } });
  const gate = createGate();
  scene.model.respond(() => ({ ...sayText(TEXT), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  if (isHeld) scene.feishu.failNext({ type: "hold" });
  await scene.push();
  await expect.poll(() => scene.feishu.sent, { timeout: 20_000 }).toHaveLength(1);
  scene.model.respond(() => sayText(TEXT));
  await scene.killAndStart();
  gate.open();
  await expect.poll(() => shown(scene), { timeout: 120_000 }).toEqual([{ text: TEXT, grows: false }]);
});
