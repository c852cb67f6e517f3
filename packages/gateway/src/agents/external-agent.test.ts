import { textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawn, SubagentScene } from "../../test/subagent-scene.ts";
import { NO_EXTERNAL_AGENTS } from "./external-agent.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

test("the external agent of a session ends with its conversation, with its sub-agent, and with the session", async () => {
  const closed: string[] = [];
  const close = async (sessionKey: string): Promise<void> => void closed.push(sessionKey);
  await scene.start(undefined, { externalAgents: { ...NO_EXTERNAL_AGENTS, close } });
  scene.answerWith({
    "": ({ results, text }) => (results === 0 && !text.includes("has ended") ? spawn("task") : textReply("Told.")),
    task: () => textReply("done"),
  });
  await scene.say("Go.");
  const [{ childKey } = { childKey: "" }] = await scene.rows();
  expect(closed).toEqual([childKey]);
  await scene.say("/new");
  expect(closed.slice(1)).toEqual(["agent:main:main"]);
  await scene.running.gateway.engine.sessions.delete(childKey);
  expect(closed.slice(2)).toEqual([childKey]);
});
