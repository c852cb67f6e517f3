import { callTools, createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTelegramScene } from "./telegram-scene.ts";

const plan = (...statuses: readonly string[]) =>
  callTools({ name: "update_plan", arguments: { plan: statuses.map((status, index) => ({ step: `Step ${index + 1}`, status })) } });

test("a plan is one message that is edited, and a restart in the middle of the turn continues it", { timeout: 300_000 }, async () => {
  await using scene = await startTelegramScene("polling");
  const gate = createGate();
  const replies = [plan("in_progress", "pending"), plan("completed", "in_progress")];
  scene.model.respond(() => replies.shift() ?? { ...sayText("Never seen."), fault: { type: "stall", afterBytes: 0, until: gate } });
  await scene.say("Do it");
  const [shown] = await scene.shown((sent) => sent.some(({ edits }) => edits === 1));
  expect(shown?.text).toBe("Plan\n\n• ✅ Step 1\n• ▶️ Step 2");
  const after = [plan("completed", "completed"), sayText("Done.")];
  scene.model.respond(() => after.shift() ?? sayText("Nothing more."));
  await scene.killAndStart();
  gate.open();
  const sent = await scene.shown((all) => all.some(({ text }) => text === "Done."));
  expect(sent.map(({ text }) => text)).toEqual(["Plan\n\n• ✅ Step 1\n• ✅ Step 2", "Done."]);
  // The model still has the plan.
  expect(JSON.stringify(scene.model.requests.at(-1)?.body?.["messages"])).toContain("Step 2");
});
