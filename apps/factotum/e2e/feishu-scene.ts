import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope, FeishuWebhookOptions } from "@factotum/testing-channels";
import { createScriptConversation } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import type { SceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

const USER = "ou_zhangsan";
const CHAT = "oc_dm";
export const TOOLS = ["read", "write", "edit", "ls", "exec", "message"] as const;

const SKILL = `# create-python-script

用户想要一个 Python 小程序时，照这里的办法做。

1. 先列出工作目录，看看已经有什么。
2. 把程序写进一个 .py 文件，开头带解释器声明，关键处用中文注释。
3. 写完后用两三句话告诉用户怎么运行。
`;

/** A Feishu user, the product with one agent, and a scripted model: everything for a conversation. */
export interface FeishuScene extends AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** The user's message as an event; the same one for every push. */
  readonly event: FeishuEnvelope;
  readonly messageId: string;
  /** Pushes the event like the platform. */
  push(options?: FeishuWebhookOptions): Promise<Response>;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
  /** Resolves once the bot has sent `count` messages in total. */
  waitForSent(count: number): Promise<void>;
}

/**
 * Creates the scene. The model's answers depend on the request alone, so that a request after a crash gets the same answer. `account` is added to the keys of
 * the Feishu account.
 */
export async function startFeishuScene(
  sceneModel: SceneModel = ANTHROPIC,
  { env = {}, account = {} }: { readonly env?: Readonly<Record<string, string>>; readonly account?: object } = {},
): Promise<FeishuScene> {
  const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
  const model = await startSceneModel(sceneModel, createScriptConversation.neutralReplies);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-scene-"));
  const workspace = path.join(folder, "coder");
  await makeWorkspace(workspace);
  const config = sceneConfig(feishu, { workspace, account }, sceneModel.config(model.baseUrl));
  let product = await startProduct({ config, env });
  const messageId = "om_6123456789abcdef6123456789abcdef";
  const event = feishuMessageEvent(feishu.app, {
    chatId: CHAT,
    chatType: "p2p",
    messageType: "text",
    content: { text: "帮我写一个 Python 脚本，列出这个文件夹里的所有文件" },
    senderOpenId: USER,
    messageId,
  });
  feishu.addInbound({ messageId, chatId: CHAT });
  return {
    feishu,
    model,
    workspace,
    event,
    messageId,
    get product() {
      return product;
    },
    push: async (options) => fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event, options)),
    killAndStart: async () => {
      await product.end("SIGKILL");
      product = await startProduct({ config, env, home: product.home });
    },
    waitForSent: async (count) => waitForSent(feishu, count),
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model.close();
      await feishu[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once the platform shows this many messages of the product. */
export async function waitForSent(feishu: FakeFeishu, count: number): Promise<void> {
  await untilShown(feishu, (sent) => sent.length >= count);
}

/** The configuration of a product on this platform whose owner is one of its people. `account` is added to the account's own keys. */
export function feishuConfig({ app, baseUrl }: FakeFeishu, owner: string, account: object = {}): object {
  const { appId, appSecret, encryptKey, verificationToken } = app;
  const transport = { type: "webhook", encryptKey, verificationToken };
  return {
    commands: { ownerAllowFrom: [`feishu:${owner}`] },
    channels: { feishu: { appId, appSecret, baseUrl, allowFrom: [owner], transport, ...account } },
  };
}

/** The expected output of `ls`: folders with a slash, sorted like the tool. */
export async function listing(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
}

async function makeWorkspace(workspace: string): Promise<void> {
  const skill = path.join(workspace, "skills", "create-python-script");
  for (const folder of ["scripts", "tests"]) await mkdir(path.join(workspace, folder), { recursive: true });
  await mkdir(skill, { recursive: true });
  await writeFile(path.join(skill, "SKILL.md"), SKILL);
  await writeFile(path.join(workspace, "README.md"), "# 示例\n");
  await writeFile(path.join(workspace, "requirements.txt"), "");
}

function sceneConfig(
  feishu: FakeFeishu,
  { workspace, account }: { readonly workspace: string; readonly account: object },
  { reference, providers }: ReturnType<SceneModel["config"]>,
): object {
  return {
    agents: {
      defaults: { model: reference, systemPrompt: "你帮人写程序，也讲得明白程序。请用中文回答。" },
      list: [
        {
          id: "coder",
          name: "代码助手",
          workspaceDir: workspace,
          tools: { allow: [...TOOLS] },
          skills: { allow: ["create-python-script"] },
        },
      ],
    },
    models: { providers },
    ...feishuConfig(feishu, USER, account),
  };
}
