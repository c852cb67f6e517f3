import { createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";

const TEXT = "This is **one** sentence of a long answer. ".repeat(20).trim();

/** The texts that the user sees. */
function shown({ feishu }: FeishuScene): readonly string[] {
  return feishu.sent.flatMap(({ content, deleted }) => {
    const { text, zh_cn: post } = content as {
      readonly text?: string;
      readonly zh_cn?: { readonly content: { readonly text: string }[][] };
    };
    return deleted ? [] : [text ?? post?.content[0]?.[0]?.text ?? ""];
  });
}

test("an answer that grows is one message that is edited, fewer times than the platform allows", async () => {
  await using scene = await startFeishuScene(undefined, { account: { streaming: { mode: "partial" } } });
  const gate = createGate();
  scene.model.respond(() => ({ ...sayText(TEXT), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  await scene.push();
  await scene.waitForSent(1);
  const [preview = "?"] = shown(scene);
  expect(TEXT.startsWith(preview)).toBe(true);
  expect(preview).not.toBe(TEXT);
  gate.open();
  await expect.poll(() => shown(scene), { timeout: 20_000 }).toEqual([TEXT]);
  expect(scene.feishu.sent[0]?.edits).toBeLessThanOrEqual(20);
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
  await expect.poll(() => shown(scene), { timeout: 30_000 }).toEqual([TEXT]);
});
