import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuMessageInput } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const OWNER = "ou_zhangsan";
const FILE_KEY = "file_report";
const LONG = `begins here ${"lorem ipsum ".repeat(20_000)} ends here`;

interface Scene extends AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly product: Product;
  readonly workspace: string;
  say(messageId: string, message: Pick<FeishuMessageInput, "messageType" | "content">): Promise<void>;
}

async function startScene(tools: object): Promise<Scene> {
  const feishu = await FakeFeishu.start({ people: [OWNER], chats: ["oc_dm"] });
  const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Seen."));
  const models = [{ id: "claude-sonnet-5-5", contextWindow: 40_000, maxOutput: 1_000 }];
  const workspace = await mkdtemp(path.join(tmpdir(), "factotum-unreadable-"));
  await writeFile(path.join(workspace, "AGENTS.md"), "# Rules\nBe kind.\n");
  const product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" }, list: [{ id: "main", workspaceDir: workspace }] },
      tools,
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789", models } } },
      ...feishuConfig(feishu, OWNER),
    },
  });
  return {
    feishu,
    model,
    product,
    workspace,
    say: async (messageId, message) => {
      const sent = feishu.sent.length;
      feishu.addInbound({ messageId, chatId: "oc_dm" });
      const event = feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", senderOpenId: OWNER, messageId, ...message });
      await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
      await waitForSent(feishu, sent + 1);
    },
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model.close();
      await feishu[Symbol.asyncDispose]();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

async function sendFileAndLongText(scene: Scene): Promise<void> {
  const messageId = "om_1123456789abcdef1123456789abcdef";
  const file = { fileKey: FILE_KEY, contentType: "text/plain", fileName: "report.txt", bytes: Buffer.from("Quarterly figures") };
  scene.feishu.addResource({ messageId, ...file });
  await scene.say(messageId, { messageType: "file", content: { file_key: FILE_KEY, file_name: "report.txt" } });
  await scene.say("om_2123456789abcdef2123456789abcdef", { messageType: "text", content: { text: LONG } });
}

const newest = ({ model }: Scene): string => JSON.stringify(model.requests.at(-1)?.body);

/** Changes a bootstrap file after the prompt was rendered. */
async function changeAgentsFile({ workspace }: Scene): Promise<void> {
  const file = path.join(workspace, "AGENTS.md");
  await writeFile(file, "# Rules\nBe kind and brief.\n");
  const later = new Date(Date.now() + 5_000);
  await utimes(file, later, later);
}

describe("files that come with messages", () => {
  test("are named without their path if no tool opens them", async () => {
    await using scene = await startScene({ allow: [] });
    await sendFileAndLongText(scene);
    await changeAgentsFile(scene);
    await scene.say("om_3123456789abcdef3123456789abcdef", { messageType: "text", content: { text: "and now?" } });
    const request = newest(scene);
    expect(scene.model.requests.at(-1)?.body?.["tools"] ?? []).toEqual([]);
    expect(request).toContain("report.txt (text/plain, not shown: this conversation has no tool that reads files)");
    expect(request).toContain("begins here");
    expect(request).toContain("ends here");
    for (const announced of [
      "media://",
      "/media/inbound",
      "Media reply hint",
      "is in the file",
      "File changed",
      "no network needed",
      "again only if",
    ])
      expect(`${announced}: ${request.includes(announced)}`).toBe(`${announced}: false`);
    // The long text is not stored if no tool can read it; the sender's notice is accurate.
    expect(JSON.stringify(scene.feishu.sent[1]?.content)).not.toContain("kept in a file");
    const kept = (await readdir(path.join(scene.product.home, "media"), { recursive: true })).filter((name) => name.endsWith(".txt"));
    expect(kept).toHaveLength(1);
    expect(scene.model.violations).toEqual([]);
  });

  test("are announced with their path if a tool opens them", async () => {
    await using scene = await startScene({ allow: ["read"] });
    await sendFileAndLongText(scene);
    await changeAgentsFile(scene);
    let count = 0;
    // The change may be seen a moment after the next message.
    const ask = async (): Promise<string> => {
      count += 1;
      await scene.say(`om_${String(count).padStart(32, "3")}`, { messageType: "text", content: { text: "and now?" } });
      return newest(scene);
    };
    await expect.poll(ask, { timeout: 60_000 }).toContain("File changed: AGENTS.md");
    const request = newest(scene);
    expect(request).toMatch(/media:\/\/inbound\/[0-9a-f]{32} \(text\/plain, report\.txt, file: \//);
    for (const announced of ["is in the file media://", "no network needed", "again only if"]) expect(request).toContain(announced);
    expect(JSON.stringify(scene.feishu.sent[1]?.content)).toContain("kept in a file that it can read");
  });
});
