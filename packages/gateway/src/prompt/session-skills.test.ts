import path from "node:path";
import type { Origin } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { fakeSkills } from "../../test/fake-skills.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const GROUP: Origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } };

/** Finds one skill in any folder. */
const skills = fakeSkills(({ workspace }) => [
  {
    name: "faq",
    description: `lies in ${workspace}`,
    location: "./skills/faq/SKILL.md",
    source: "workspace",
    folder: path.join(workspace, "skills", "faq"),
  },
  { name: "post", description: "sends letters", location: "/managed/post/SKILL.md", source: "managed", folder: "/managed/post" },
]);

test("a group gets the skills of the agent's workspace, by their full path, and none from the folder that its members write to", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({
    platform,
    skills,
    patch: withModel(model.baseUrl),
    accountConfig: { groupPolicy: "open", groups: { "*": { requireMention: false } } },
  });
  const workspace = path.join(running.home, "workspace");
  const offered = async (message: ReturnType<TestPlatform["message"]>): Promise<string> => {
    await platform.say(message);
    await running.gateway.engine.idle();
    const system = JSON.stringify(model.requests.at(-1)?.body?.["system"]);
    return /<available_skills>.*<\/available_skills>/.exec(system)?.[0] ?? "";
  };
  const inGroup = await offered(platform.message("hello", { origin: GROUP }));
  expect(inGroup).toContain(`- faq: lies in ${workspace}`);
  expect(inGroup).toContain(`<folder path=\\"${path.join(workspace, "skills")}\\">`);
  expect(inGroup).toContain(`<folder path=\\"/managed\\">`);
  expect(inGroup).not.toContain("sandboxes");
  const alone = await offered(platform.message("hello"));
  expect(alone).toContain(`- faq: lies in ${workspace}`);
  expect(alone).toContain(`<folder path=\\"./skills\\">`);
});
