import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { newestOf, SubagentScene } from "./subagent-scene.ts";

const CODER = "agent:coder:main";
const MAIN = "agent:main:main";

/**
 * Every state of an exchange: asked for, begun, the question stored, claimed and answered, the reply recorded, claimed and answered, ended. The counts are those of
 * turns (the one that asks, the coder's, the one with the reply) and of changes of its row.
 */
const ALL = [
  "mid-tool:1",
  "after-exchange:1",
  "after-claim:2",
  "after-final-commit:1",
  "after-exchange:2",
  "after-claim:3",
  "after-final-commit:3",
  "after-exchange:3",
];
/** Turns like others are in `pnpm test:slow`. */
const POINTS = process.env["FACTOTUM_SLOW"] === undefined ? ["after-exchange:1", "after-final-commit:1", "after-exchange:2"] : ALL;

const SETTINGS = {
  agents: {
    defaults: { model: "anthropic/claude-sonnet-5-5" },
    list: [
      { id: "main", default: true },
      { id: "coder", systemPrompt: "You are the coder." },
    ],
  },
  tools: { agentToAgent: { enabled: true, allow: [{ from: "main", to: "coder" }] } },
  session: { agentToAgent: { maxPingPongTurns: 1 } },
};

/** The model's answer depends on the request alone, so that a request after a crash gets the same one. */
function answer(request: CapturedRequest): MessageReply {
  const newest = newestOf(request);
  const job = /job-[a-z0-9-]+/.exec(newest)?.[0] ?? "";
  if (JSON.stringify(request.body?.["system"]).includes("You are the coder.")) return sayText(`answer to ${job}`);
  if (newest.includes("2 of 2")) return sayText("REPLY_SKIP");
  if (!newest.includes("tool_result")) return callTools({ name: "sessions_send", arguments: { agentId: "coder", message: `${job}?` } });
  return sayText(newest.includes("replied:") ? `told ${job}` : "It broke off.");
}

test.each(POINTS)("an exchange that is killed at %s asks once, and gives the reply to the session that asked", async (point) => {
  await using scene = await SubagentScene.start(answer);
  const product = await scene.run({ settings: SETTINGS, env: { FACTOTUM_CRASH_AT: point } });
  await scene.say(product, "job-1");
  expect(await product.ended).toMatchObject({ signal: "SIGKILL" });
  const again = await scene.run({ settings: SETTINGS });
  await expect.poll(() => scene.texts.length, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => scene.unfinished(), { timeout: 60_000 }).toEqual([]);
  const steps = scene.steps();
  // The call of a turn that was killed in it may not have begun anything.
  const isAsked = point !== "mid-tool:1" || steps.length > 0;
  const expected = [`${CODER} job-1?`, `${MAIN} answer to job-1`];
  expect(steps.map(({ sessionKey, text }) => `${sessionKey} ${text}`)).toEqual(isAsked ? expected : []);
  for (const { state } of steps) expect(["answered", "silent"]).toContain(state);
  expect(scene.texts).toHaveLength(1);
  expect(scene.model.violations).toEqual([]);
  await again.end("SIGTERM");
});
