import { expect, test } from "vitest";
import { GROUP, startGuestScene } from "./guest-scene.ts";

const unmentioned = { chatId: GROUP, count: 0, event: { mentions: [], content: { text: "canary-old" } } };

test("group messages without a mention survive a kill and are given to the next mention once", async () => {
  await using scene = await startGuestScene();
  await scene.say("ou_anna", "", unmentioned);
  await scene.restart({}, "SIGKILL");
  await scene.say("ou_bert", "", { ...unmentioned, event: { mentions: [], content: { text: "canary-new" } } });
  await scene.say("ou_owner", "what was said?", { chatId: GROUP });
  expect(scene.given).toEqual(expect.arrayContaining(["canary-old", "canary-new"]));
  await scene.restart({}, "SIGKILL");
  await scene.say("ou_owner", "and now?", { chatId: GROUP });
  expect(scene.request.split("canary-old")).toHaveLength(scene.request.split("canary-new").length);
  // Once in the history, and once in the answer that repeated it.
  expect(scene.request.split("canary-old")).toHaveLength(3);
});

test("the owner sees which binding chose the agent, and no other agent answers", async () => {
  const bindings = [
    { agentId: "team", match: { channel: "feishu", peer: { kind: "group", id: GROUP } } },
    { agentId: "main", match: { channel: "feishu" } },
  ];
  const agents = { defaults: { model: "anthropic/claude-sonnet-5-5" }, list: [{ id: "main" }, { id: "team" }] };
  await using scene = await startGuestScene({}, { extra: { bindings, agents } });
  expect((await scene.say("ou_owner", "/whoami"))[0]).toContain("agent main, by bindings[1] (account)");
  expect((await scene.say("ou_owner", "/whoami", { chatId: GROUP }))[0]).toContain("agent team, by bindings[0] (peer)");
  await scene.say("ou_anna", "hello", { chatId: GROUP });
  expect((await scene.command("sessions", "list")).stdout).toContain(`agent:team:feishu:group:${GROUP}`);
});
