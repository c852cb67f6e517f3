import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import type { CapturedRequest } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { FORUM, OWNER, startTelegramScene } from "./telegram-scene.ts";

const agentOf = ({ body }: CapturedRequest): string => /You are (Writer|Critic)\./.exec(JSON.stringify(body))?.[1] ?? "main";

test("two agents answer a group one after the other under their names, once each, also after a kill between the two", async () => {
  const agents = ["Writer", "Critic"].map((name) => ({ id: name.toLowerCase(), name, systemPrompt: `You are ${name}.` }));
  await using scene = await startTelegramScene(
    "webhook",
    { groups: { [FORUM]: { requireMention: false } } },
    { agents, broadcast: { strategy: "sequential", [`telegram:${FORUM}`]: ["writer", "critic"] } },
  );
  const { model, product } = scene;
  const isKilled = Promise.withResolvers<void>();
  model.respond(async (request) => {
    if (agentOf(request) === "Critic") await isKilled.promise;
    return sayText(`${agentOf(request)} has answered.`);
  });
  const asked = (): readonly string[] => model.requests.map(agentOf);
  const update = await scene.say("What do you think?", { chatId: FORUM, fromId: OWNER });

  // The critic is asked once the answer of the writer is delivered, and killed before its own.
  await scene.shown((sent) => sent.length === 1);
  await expect.poll(asked).toEqual(["Writer", "Critic"]);
  await scene.killAndStart();
  isKilled.resolve();
  await scene.shown((sent) => sent.length === 2);
  await scene.deliver(update);
  await scene.say("/whoami");
  await scene.shown((sent) => sent.length === 3);
  expect(asked()).toEqual(["Writer", "Critic", "Critic"]);
  expect(scene.telegram.sent.slice(0, 2).map(({ chatId, text }) => [chatId, text])).toEqual([
    [FORUM, "Writer\n\nWriter has answered."],
    [FORUM, "Critic\n\nCritic has answered."],
  ]);
  const listed = await runCommand(["agents", "list"], { home: product.home });
  expect(listed.stdout).toMatch(new RegExp(`"telegram:${FORUM}" +writer, critic +sequential`));

  // A conversation that cannot be answered so refuses the start.
  const refused = await runCommand(["config", "set", "broadcast", `{ "telegram:${FORUM}": ["writer", "crtic"] }`], { home: product.home });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('there is no agent "crtic"');
});
