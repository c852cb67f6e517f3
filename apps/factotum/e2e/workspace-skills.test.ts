import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-skills-"));
  await mkdir(path.join(workspace, "skills", "bake"), { recursive: true });
  await writeFile(path.join(workspace, "skills", "bake", "SKILL.md"), "# bake\n\nHow we bake.\n\nThe oven has 230 degrees.\n");
  await writeFile(path.join(workspace, "private.txt"), "nobody reads this");
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

test("a group, which works in a separate folder, reads the skills of its agent's workspace, and nothing else there", async () => {
  await using feishu = await FakeFeishu.start({ people: ["ou_olga"], chats: ["oc_bakers"] });
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes('"tool_result"')) return sayText("Read.");
    // A skill is listed below its folder.
    const folder = /<folder path=\\+"(?<path>[^"\\]+)\\+">\\+n- bake /.exec(text)?.groups?.["path"];
    const skill = folder === undefined ? "no such skill" : `${folder}/bake/SKILL.md`;
    return callTools(
      { name: "read", arguments: { path: skill } },
      { name: "read", arguments: { path: path.join(workspace, "private.txt") } },
      { name: "write", arguments: { path: path.join(workspace, "skills", "bake", "SKILL.md"), content: "mine" } },
    );
  });
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" }, list: [{ id: "main", workspace }] },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(feishu, "ou_olga", { groups: { oc_bakers: { requireMention: false } } }),
    },
  });
  const messageId = `om_${"0".repeat(32)}`;
  feishu.addInbound({ messageId, chatId: "oc_bakers" });
  const said = {
    chatId: "oc_bakers",
    chatType: "group",
    messageType: "text",
    content: { text: "bake a loaf" },
    senderOpenId: "ou_olga",
    messageId,
  } as const;
  await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, said)));
  await waitForSent(feishu, 1);
  const told = JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
  expect(told).toContain("The oven has 230 degrees.");
  expect(told).not.toContain("nobody reads this");
  expect(told.match(/"is_error":true/g)).toHaveLength(2);
});
