import { sayText } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { callLater, newestOf, SubagentScene, taskOf } from "./subagent-scene.ts";

/** Every state of a sub-agent: asked for and not stored, stored, begun, ended. The counts are those of turns: the conversation's, the sub-agent's, the result's. */
const STATES = ["mid-tool:1", "after-spawn:1", "after-claim:2", "after-final-commit:2"];
/** `pnpm test:slow`: the beginning and the end of every turn. */
const POINTS =
  process.env["FACTOTUM_SLOW"] === undefined ? STATES : [...STATES, "after-claim:3", "after-final-commit:1", "after-final-commit:3"];

/** The model's answer depends on the request alone, so that a request after a crash gets the same one. */
function answer(request: CapturedRequest): MessageReply {
  const task = taskOf(request);
  const newest = newestOf(request);
  if (task !== undefined) return sayText(`found ${task}`);
  if (newest.includes("has ended")) return sayText(`told ${/\| (job-[a-z0-9-]+)/.exec(newest)?.[1] ?? ""}`);
  if (newest.includes(String.raw`\"status\":\"accepted\"`)) return sayText("asked");
  const asked = JSON.stringify(request.body?.["messages"]).match(/job-[a-z0-9-]+/g) ?? [];
  return callLater({ name: "sessions_spawn", arguments: { task: asked.at(-1) ?? "" } });
}

test("a kill at every state of a sub-agent leaves one result, told once", async () => {
  await using scene = await SubagentScene.start(answer);
  const jobs = POINTS.map((point) => `job-${point.replace(":", "-")}`);
  for (const [index, point] of POINTS.entries()) {
    const product = await scene.run({ env: { FACTOTUM_CRASH_AT: point } });
    await scene.say(product, jobs[index] ?? "");
    expect(await product.ended).toMatchObject({ signal: "SIGKILL" });
    const again = await scene.run();
    await expect.poll(() => scene.count(`told ${jobs[index] ?? ""}`), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => scene.count("asked"), { timeout: 60_000 }).toBe(index + 1);
    const rows = scene.rows().map(({ task, state, isTold }) => `${task} ${state} ${String(isTold)}`);
    expect(rows.toSorted()).toEqual(
      jobs
        .slice(0, index + 1)
        .map((job) => `${job} done true`)
        .toSorted(),
    );
    await again.end("SIGTERM");
  }
  expect(jobs.map((job) => `${job} ${scene.count(`told ${job}`)}`)).toEqual(jobs.map((job) => `${job} 1`));
});
