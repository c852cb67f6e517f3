import { runCommand } from "@factotum/testing-product";
import { createGate, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, Gate, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { callLater, newestOf, SubagentScene, taskOf } from "./subagent-scene.ts";

const MAIN = "agent:main:main";

/** What the parent does when the gateway is killed. */
const STATES = ["busy", "compacting", "reset", "deleted"] as const;
type State = (typeof STATES)[number];

/** A text that only a compaction makes shorter. */
const LONG = `Remember this. ${"lorem ipsum ".repeat(3_000)}`;

const isSummary = ({ body }: CapturedRequest): boolean => JSON.stringify(body).includes("You condense the record of a conversation");

/** The model; what it says to a sub-agent, to a busy parent and for a summary waits for a gate of this state. */
class Model {
  readonly gates = new Map<string, Gate>();

  gate(name: string): Gate {
    const gate = this.gates.get(name) ?? createGate();
    this.gates.set(name, gate);
    return gate;
  }

  readonly answer = (request: CapturedRequest): MessageReply => {
    const task = taskOf(request);
    const newest = newestOf(request);
    if (task !== undefined) return this.#held(`found ${task}`, task);
    if (isSummary(request)) return this.#held("Known: much was said.", "summary");
    if (newest.includes("has ended")) return sayText(`told ${/\| found (job-[a-z]+)/.exec(newest)?.[1] ?? "nothing"}`);
    if (newest.includes(String.raw`\"status\":\"accepted\"`)) return sayText("asked");
    if (newest.includes("Wait.")) return this.#held("waited", "busy");
    const job = /job-[a-z]+/.exec(newest)?.[0];
    return job === undefined ? sayText("noted") : callLater({ name: "sessions_spawn", arguments: { task: job } });
  };

  #held(text: string, name: string): MessageReply {
    return { ...sayText(text), fault: { type: "slow-headers", until: this.gate(name) } };
  }
}

test("a kill while the parent is busy, compacting, reset or deleted: each result is told once", { timeout: 300_000 }, async () => {
  const model = new Model();
  await using scene = await SubagentScene.start(model.answer);
  let product = await scene.run();
  const seen = (words: string): boolean => scene.model.requests.some((request) => newestOf(request).includes(words));
  const state = (job: string): string | undefined => scene.rows().find(({ task }) => task === job)?.state;
  const answered = async (text: string, answer: string): Promise<void> => {
    const before = scene.count(answer);
    await scene.say(product, text);
    await expect.poll(() => scene.count(answer), { timeout: 60_000 }).toBe(before + 1);
  };
  const prepare: Readonly<Record<State, (job: string) => Promise<void>>> = {
    busy: async (job) => {
      await scene.say(product, "Wait.");
      await expect.poll(() => seen("Wait."), { timeout: 60_000 }).toBe(true);
      model.gate(job).open();
      await expect.poll(() => state(job), { timeout: 60_000 }).toBe("done");
    },
    compacting: async (job) => {
      for (const word of ["One", "Two", "Three"]) await answered(`${word}: ${LONG}`, "noted");
      await scene.say(product, "/compact");
      await expect.poll(() => scene.model.requests.some(isSummary), { timeout: 60_000 }).toBe(true);
      model.gate(job).open();
      await expect.poll(() => state(job), { timeout: 60_000 }).toBe("done");
    },
    reset: async () => {
      await scene.say(product, "/new");
      await expect.poll(() => scene.count("This is a new conversation."), { timeout: 60_000 }).toBe(1);
    },
    deleted: async () => {
      expect(await runCommand(["sessions", "delete", MAIN, "--yes"], { home: scene.home })).toMatchObject({ code: 0 });
    },
  };
  for (const name of STATES) {
    const job = `job-${name}`;
    await answered(job, "asked");
    await expect.poll(() => state(job), { timeout: 60_000 }).toBe("running");
    await prepare[name](job);
    expect(await product.end("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
    product = await scene.run();
    for (const gate of [job, "busy", "summary"]) model.gate(gate).open();
    // To a parent that is gone the result is not told by its model.
    const told = name === "reset" || name === "deleted" ? `found ${job}` : `told ${job}`;
    await expect.poll(() => scene.count(told), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => scene.unfinished(), { timeout: 60_000 }).toEqual([]);
  }
  expect(STATES.map((name) => [name, scene.texts.filter((text) => text.includes(`job-${name}"`)).length])).toEqual(
    STATES.map((name) => [name, 1]),
  );
  expect(scene.count("waited")).toBe(1);
  expect(scene.rows().map(({ isTold }) => isTold)).toEqual(STATES.map(() => true));
  expect(scene.model.violations).toEqual([]);
  await product.end("SIGTERM");
});
