import { readdir } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "@factotum/testing-product";
import { callTools, isPrefixOf, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { callLater, newestOf, SubagentScene, taskOf as childTask } from "./subagent-scene.ts";

/** Every state of a sub-agent: asked for and not stored, stored, begun, ended. The counts are those of turns: the conversation's, the sub-agent's, the result's. */
const STATES = ["mid-tool:1", "after-spawn:1", "after-claim:2", "after-final-commit:2"];
/** `pnpm test:slow`: the beginning and the end of every turn. */
const POINTS =
  process.env["FACTOTUM_SLOW"] === undefined ? STATES : [...STATES, "after-claim:3", "after-final-commit:1", "after-final-commit:3"];

const jobOf = (point: string): string => `job-${point.replace(":", "-")}`;
/** All but the first two start with the conversation. */
const isForked = (job: string): boolean => POINTS.findIndex((point) => job === jobOf(point)) >= 2;
/** The task of a request of a sub-agent, whose prompt may be that of the conversation. */
const taskOf = (request: CapturedRequest): string | undefined => /\[Subagent Task\]: (job-[a-z0-9-]+)/.exec(newestOf(request))?.[1];

/** The model's answer depends on the request alone, so that a request after a crash gets the same one. */
function answer(request: CapturedRequest): MessageReply {
  const task = taskOf(request);
  const newest = newestOf(request);
  if (task !== undefined) return sayText(`found ${task}`);
  if (newest.includes("has ended")) return sayText(`told ${/\| (job-[a-z0-9-]+)/.exec(newest)?.[1] ?? ""}`);
  if (newest.includes(String.raw`\"status\":\"accepted\"`)) return sayText("asked");
  const asked = JSON.stringify(request.body?.["messages"]).match(/job-[a-z0-9-]+/g) ?? [];
  const job = asked.at(-1) ?? "";
  const attachments = [{ name: "task.txt", content: job }];
  return callLater({ name: "sessions_spawn", arguments: { task: job, context: isForked(job) ? "fork" : "isolated", attachments } });
}

test("a kill at every state of a sub-agent leaves one result, told once", async () => {
  await using scene = await SubagentScene.start(answer);
  const jobs = POINTS.map(jobOf);
  for (const [index, point] of POINTS.entries()) {
    const product = await scene.run({ env: { FACTOTUM_CRASH_AT: point } });
    await scene.say(product, jobs[index] ?? "");
    expect(await product.ended).toMatchObject({ signal: "SIGKILL" });
    const again = await scene.run();
    await expect.poll(() => scene.count(`told ${jobs[index] ?? ""}`), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => scene.count("asked"), { timeout: 60_000 }).toBe(index + 1);
    const rows = scene.rows();
    const told = jobs.slice(0, index + 1).map((job) => `${job} done true`);
    expect(rows.map(({ task, state, isTold }) => `${task} ${state} ${String(isTold)}`).toSorted()).toEqual(told.toSorted());
    // The files of a call that was not stored are gone.
    const folders = await readdir(path.join(scene.home, "workspace", ".subagents"));
    expect(folders.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    await again.end("SIGTERM");
  }
  expect(jobs.map((job) => `${job} ${scene.count(`told ${job}`)}`)).toEqual(jobs.map((job) => `${job} 1`));
  // A fork begins with a request of the conversation, also when that had been killed before.
  const { requests } = scene.model;
  const children = requests.filter((request) => isForked(taskOf(request) ?? ""));
  expect(new Set(children.map(taskOf))).toEqual(new Set(jobs.filter(isForked)));
  for (const child of children) {
    const asksFor = (newest: string): boolean => newest.includes(taskOf(child) ?? "") && !/has ended|accepted/.test(newest);
    const parents = requests.filter((request) => taskOf(request) === undefined && asksFor(newestOf(request)));
    expect(parents.some(({ body }) => body !== undefined && child.body !== undefined && isPrefixOf(body, child.body))).toBe(true);
  }
});

test("a command waits for the answer to the results, and shows which sub-agent asks for a decision", async () => {
  await using scene = await SubagentScene.start((request) => {
    const newest = newestOf(request);
    if (childTask(request) !== undefined)
      return newest.includes("tool_result") ? sayText("found it") : callTools({ name: "exec", arguments: { command: "echo asked" } });
    if (newest.includes("has ended")) return sayText("It is found.");
    if (newest.includes("accepted")) return callLater({ name: "sessions_yield", arguments: {} });
    return callLater({ name: "sessions_spawn", arguments: { task: "job-asks", label: "nightly" } });
  });
  const { home } = scene;
  const product = await scene.run();
  const waiting = runCommand(["agent", "--message", "Find it.", "--json"], { home });
  let listed = "";
  await expect
    .poll(async () => (listed = (await runCommand(["approvals", "list"], { home })).stdout), { timeout: 60_000 })
    .toContain('Asked by the sub-agent `"nightly"`');
  await runCommand(["approvals", "decide", listed.slice(0, 6), "deny"], { home });
  const { code, stdout, stderr } = await waiting;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: { type: "done" }, text: "It is found." });
  expect(stderr).toContain('the sub-agent "nightly" wants to use exec and waits for your decision');
  const [row] = scene.rows();
  const ended = await runCommand(["agent", "--session", row?.childKey ?? "", "--message", "More?"], { home });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("This sub-agent has ended")]);
  await product.end("SIGTERM");
});
