import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { ContextReportSchema } from "@factotum/protocol";
import { callTools, prefixReport, sayText, startStrictServer } from "@factotum/testing-providers";
import type { MessageReply } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";
import { png } from "./png.ts";

const OWNER = "ou_owner";
const PEOPLE = ["ou_ann", "ou_ben", "ou_cy"] as const;
const MAIN = "agent:main:main";
const GROUP = "agent:main:feishu:group:oc_group";
const MODEL = "anthropic/claude-sonnet-4-6";
const RESULT_CHARS = 16_000;

/** One turn: its sender, text and image, and the model's behaviour. */
interface Turn {
  readonly sender: string;
  readonly session: string;
  readonly text: string;
  readonly picture?: boolean;
  readonly replies: readonly MessageReply[];
}

const own = (text: string, ...replies: readonly MessageReply[]): Turn => ({ sender: OWNER, session: MAIN, text, replies });
const plain = own("And then?", sayText("Then this."));
const withTool = own("Read it.", callTools({ name: "read", arguments: { path: "large.txt" } }), sayText("I have read it."));
const picture: Turn = { ...own("And this picture?", sayText("A red one.")), picture: true };
const remember = own(
  "Remember that.",
  callTools({ name: "write", arguments: { path: "MEMORY.md", content: "The word is swordfish." } }),
  sayText("I will."),
);
const inGroup = (sender: string): Turn => ({ sender, session: GROUP, text: `@_user_1 here is ${sender}`, replies: [sayText("Noted.")] });

/** 20 turns: 7 with large results, 3 of the group by 3 people, an image, a note, 8 plain ones. */
const TURNS: readonly Turn[] = [
  [plain, withTool, withTool, remember, inGroup(PEOPLE[0]), picture, plain, withTool, inGroup(PEOPLE[1]), plain],
  [withTool, plain, withTool, inGroup(PEOPLE[2]), plain, withTool, plain, withTool, plain, plain],
].flat();

let feishu: FakeFeishu;
let model: Awaited<ReturnType<typeof startStrictServer>>;
let workspace: string;
let product: Product;

beforeAll(async () => {
  feishu = await FakeFeishu.start({ people: [OWNER, ...PEOPLE], chats: ["oc_dm", "oc_group"] });
  model = checkedOfficially(await startStrictServer("anthropic-messages", { minCacheTokens: 0 }), "anthropic-messages");
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-prefix-"));
  await mkdir(path.join(workspace, "skills", "tidy"), { recursive: true });
  await put("AGENTS.md", "Be brief.");
  await put("skills/tidy/SKILL.md", "# tidy\n\nSort by date.\n");
  await put("large.txt", "A line of the large file.\n".repeat(2_000));
  product = await startProduct({ config: configuration() });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
  await feishu[Symbol.asyncDispose]();
  await rm(workspace, { recursive: true, force: true });
});

function configuration(): object {
  return {
    agents: { defaults: { model: MODEL, models: { [MODEL]: { params: { cacheRetention: "long" } } }, workspaceDir: workspace } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    ...feishuConfig(feishu, OWNER, { groups: { oc_group: { requireMention: true } } }),
  };
}

async function put(file: string, text: string): Promise<void> {
  await writeFile(path.join(workspace, file), text);
}

/** Events before a turn, by its index. */
const BEFORE: Readonly<Record<number, () => Promise<void>>> = {
  7: async () => {
    await put("AGENTS.md", "Be brief, and rhyme.");
    await restart("SIGKILL");
  },
  14: async () => {
    await put("skills/tidy/SKILL.md", "# tidy\n\nSort by name.\n");
    await restart("SIGTERM");
  },
};

async function restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  await product.end(signal);
  product = await startProduct({ config: configuration(), home: product.home });
}

/** Sends it on the platform, and waits for the reply. */
async function play(turn: Turn): Promise<void> {
  model.script(turn.replies);
  const chatId = turn.session === GROUP ? "oc_group" : "oc_dm";
  const messageId = `om_${randomBytes(16).toString("hex")}`;
  feishu.addInbound({ messageId, chatId });
  const file = { messageId, fileKey: "img_dot", contentType: "image/png", fileName: "dot.png", bytes: png(8, 8, [200, 30, 30]) };
  if (turn.picture === true) feishu.addResource(file);
  const post = [[{ tag: "text", text: turn.text }], [{ tag: "img", image_key: file.fileKey }]];
  const event = feishuMessageEvent(feishu.app, {
    chatId,
    chatType: turn.session === GROUP ? "group" : "p2p",
    senderOpenId: turn.sender,
    messageId,
    ...(turn.picture === true
      ? { messageType: "post", content: { title: "", content: post } }
      : { messageType: "text", content: { text: turn.text } }),
    ...(turn.session === GROUP ? { mentions: [{ key: "@_user_1", openId: feishu.app.bot.openId, name: feishu.app.bot.name }] } : {}),
  });
  const response = await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
  expect(response.status).toBe(200);
  // The reply to this message: after a kill the previous one may come a second time, under the same key.
  await feishu.request((request) => request.method === "POST" && request.path.endsWith(`/messages/${messageId}/reply`));
}

/** The causes that the command line shows for one request. */
async function loggedCauses(session: string, turn: number, request: number): Promise<readonly string[]> {
  const args = ["context", "--session", session, "--turn", String(turn), "--request", String(request), "--json"];
  const { code, stdout, stderr } = await runCommand(args, { home: product.home });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return ContextReportSchema.parse(JSON.parse(stdout)).request.causes;
}

test(
  "in 20 turns every request begins with the previous one, except for the break that `factotum context` names",
  { timeout: 300_000 },
  async () => {
    for (const [index, turn] of TURNS.entries()) {
      await BEFORE[index]?.();
      await play(turn);
    }
    expect(TURNS).toHaveLength(20);
    expect(model.violations).toEqual([]);
    expect(model.requests).toHaveLength(TURNS.reduce((sum, { replies }) => sum + replies.length, 0));

    const turns = new Map<string, number>();
    const last = new Map<string, Exclude<(typeof model.requests)[number]["body"], undefined>>();
    const breaks: { readonly report: string; readonly causes: readonly string[] }[] = [];
    const bodies = model.requests.map(({ body = {} }) => body)[Symbol.iterator]();
    for (const { session, replies } of TURNS) {
      const turn = (turns.get(session) ?? 0) + 1;
      turns.set(session, turn);
      for (const index of replies.keys()) {
        const { value: body = {} } = bodies.next();
        const before = last.get(session);
        const causes = await loggedCauses(session, turn, index + 1);
        const report = before === undefined ? "first" : prefixReport(before, body).type;
        if (report !== "prefix" || causes.length > 0) breaks.push({ report, causes });
        last.set(session, body);
      }
    }
    expect(breaks).toEqual([
      { report: "first", causes: ["new-session"] },
      { report: "first", causes: ["new-session"] },
      { report: "broken", causes: ["images-dropped"] },
    ]);
    const text = JSON.stringify(last.get(MAIN));
    expect(text.length).toBeGreaterThan(7 * RESULT_CHARS);
    for (const words of ["File changed: AGENTS.md", "Skill changed: tidy", "swordfish"]) expect(text).toContain(words);
    expect(text).not.toContain("rhyme");
  },
);
