import type { JobSummary, SetupState } from "@factotum/protocol";
import { expect, test } from "vitest";
import { setupParts } from "./setup-parts.ts";

const SETUP: SetupState = {
  model: { reference: "lab/large", source: "configured", reason: "" },
  agent: { id: "main", heartbeat: "off" },
  providers: [],
  channels: ["lantern", "beacon:work"],
};
const JOB: JobSummary = {
  id: "j1",
  agentId: "main",
  createdAtMs: 0,
  createdIn: "agent:main:main",
  failures: 0,
  nextAtMs: 1,
  spec: { name: "Weather", schedule: { type: "every", every: "1h" }, payload: { type: "message", text: "x" } },
};

type State = "connected" | "disconnected" | "failed";

function channelWith(first: State, second: State): readonly unknown[] {
  const accounts = [
    { channel: "page", accountId: "default", state: "connected" },
    { channel: "lantern", accountId: "default", state: first },
    { channel: "beacon", accountId: "work", state: second },
  ] as const;
  const part = setupParts(SETUP, accounts, []).find(({ step }) => step === "channel");
  return [part?.isDone, part?.text];
}

test("a channel is done unless all that were set up have failed; the phone is promised only with one that works", () => {
  expect(channelWith("failed", "connected")).toEqual([true, "You can write to it from your phone."]);
  expect(channelWith("failed", "disconnected")).toEqual([true, "A channel is set up."]);
  expect(channelWith("failed", "failed")).toEqual([false, "You cannot write to it from your phone: the channel has failed."]);
});

test("an assistant with a job does not act only when it is written to", () => {
  const said = (jobs: readonly JobSummary[]) => setupParts(SETUP, [], jobs).at(-1)?.text;
  expect(said([])).toBe("It acts only when you write.");
  expect(said([JOB])).toBe("It acts when you write, and when a job is due.");
});
