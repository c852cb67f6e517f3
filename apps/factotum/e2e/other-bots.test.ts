import { slackMessageEvent, slackRichText } from "@factotum/testing-channels";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startSlackScene } from "./slack-scene.ts";
import type { SlackScene } from "./slack-scene.ts";

const CHANNEL = "C0GENERAL";
const GROUPS = { groups: { [CHANNEL]: { requireMention: false } } };

/** A message of another bot that mentions the assistant; it is acknowledged. */
async function botSays(scene: SlackScene, text: string): Promise<void> {
  const { slack } = scene;
  const mention = [{ type: "user", user_id: slack.app.bot.userId }];
  const message = slack.addMessage({ channel: CHANNEL, user: "U0OTHERBOT", botId: "B0OTHERBOT", ...slackRichText(text, mention) });
  await scene.event(slackMessageEvent(slack.app, message));
}

const texts = (sent: readonly { readonly text: string }[]): readonly string[] => sent.map(({ text }) => text);

test("a bot's message is ignored by default, and a person's next one is answered", async () => {
  await using scene = await startSlackScene("http", GROUPS);
  scene.model.respond(() => sayText("For the person."));
  await botSays(scene, "Hello from a bot ");
  await scene.say("Hello from a person", { channel: CHANNEL });
  const sent = await scene.shown((all) => all.length >= 1);
  expect(texts(sent)).toEqual(["For the person."]);
  expect(scene.model.requests).toHaveLength(1);
  const prompt = JSON.stringify(scene.model.requests[0]?.body);
  expect(prompt).toContain("Hello from a person");
  expect(prompt).not.toContain("Hello from a bot");
});

test("with allowBots two bots that answer each other are stopped, and a person starts the count over", async () => {
  await using scene = await startSlackScene("http", { ...GROUPS, allowBots: true, botLoop: { maxMessages: 3, cooldownSeconds: 600 } });
  for (let turn = 1; turn <= 3; turn += 1) {
    scene.model.respond(() => sayText(`Pong ${turn}`));
    await botSays(scene, `Ping ${turn} `);
    await scene.shown((all) => all.length === turn);
  }
  // The other bot goes on for as long as it is answered, and once more.
  await botSays(scene, "Ping 4 ");
  await expect.poll(() => scene.product.output()).toContain("it has exceeded botLoop");
  await botSays(scene, "Ping 5 ");
  scene.model.respond(() => sayText("For the person."));
  await scene.say("What was that?", { channel: CHANNEL });
  await scene.shown((all) => all.length === 4);
  scene.model.respond(() => sayText("Pong again"));
  await botSays(scene, "Ping 6 ");
  const sent = await scene.shown((all) => all.length >= 5);
  expect(texts(sent)).toEqual(["Pong 1", "Pong 2", "Pong 3", "For the person.", "Pong again"]);
  expect(scene.model.requests).toHaveLength(5);
});
