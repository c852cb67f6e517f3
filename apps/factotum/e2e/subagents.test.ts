import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply, StrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";

/** Every state of a sub-agent: asked for and not stored, stored, begun, ended. The counts are those of turns: the conversation's, the sub-agent's, the result's. */
const STATES = ["mid-tool:1", "after-spawn:1", "after-claim:2", "after-final-commit:2"];
/** `pnpm test:slow`: the beginning and the end of every turn. */
const POINTS =
  process.env["FACTOTUM_SLOW"] === undefined ? STATES : [...STATES, "after-claim:3", "after-final-commit:1", "after-final-commit:3"];

/** A chat whose model hands every message out and tells the result, on a product that is killed and started. */
class Scene implements AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly home: string;

  private constructor(feishu: FakeFeishu, model: StrictServer, home: string) {
    this.feishu = feishu;
    this.model = model;
    this.home = home;
  }

  static async start(): Promise<Scene> {
    const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
    const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    model.respond(answer);
    return new Scene(feishu, model, await mkdtemp(path.join(tmpdir(), "factotum-subagents-")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.close();
    await this.feishu[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  async run(env: Readonly<Record<string, string>> = {}): Promise<Product> {
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: this.model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(this.feishu, USER),
    };
    return startProduct({ config, home: this.home, env });
  }

  async say(product: Product, text: string): Promise<void> {
    const messageId = `om_${text.replaceAll(/\W/g, "")}`;
    const message = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: USER, messageId } as const;
    this.feishu.addInbound({ messageId, chatId: CHAT });
    const event = feishuMessageEvent(this.feishu.app, message);
    await fetch(feishuWebhookRequest(this.feishu.app, `${product.url}/channels/feishu/default`, event));
  }

  /** How often a text is in the chat. */
  count(text: string): number {
    return this.feishu.sent.filter(({ content }) => JSON.stringify(content).includes(`${text}"`)).length;
  }

  /** Tasks and states, read while the product may be running. */
  rows(): readonly string[] {
    using database = new DatabaseSync(path.join(this.home, "state", "factotum.sqlite"), { readOnly: true });
    return database
      .prepare("SELECT payload, state, announced_at IS NOT NULL AS told FROM spawns")
      .all()
      .map(
        ({ payload, state, told }) => `${(JSON.parse(String(payload)) as { readonly task: string }).task} ${String(state)} ${Number(told)}`,
      )
      .toSorted();
  }
}

/** The model's answer depends on the request alone, so that a request after a crash gets the same one. */
function answer({ body }: CapturedRequest): MessageReply {
  const last = JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1));
  const task = /(?:job-)[a-z0-9-]+/.exec(last)?.[0] ?? "";
  if (JSON.stringify(body?.["system"]).includes("### Subagent Context")) return sayText(`found ${task}`);
  if (last.includes("has ended")) return sayText(`told ${/\| (job-[a-z0-9-]+)/.exec(last)?.[1] ?? ""}`);
  if (last.includes('\\"status\\":\\"accepted\\"')) return sayText("asked");
  const asked = /(?:job-)[a-z0-9-]+/g;
  const all = JSON.stringify(body?.["messages"]).match(asked) ?? [];
  return callTools({ name: "tool_call", arguments: { name: "sessions_spawn", arguments: { task: all.at(-1) ?? "" } } });
}

test("a kill at every state of a sub-agent leaves one result, told once", async () => {
  await using scene = await Scene.start();
  const jobs = POINTS.map((point) => `job-${point.replace(":", "-")}`);
  for (const [index, point] of POINTS.entries()) {
    const product = await scene.run({ FACTOTUM_CRASH_AT: point });
    await scene.say(product, jobs[index] ?? "");
    expect(await product.ended).toMatchObject({ signal: "SIGKILL" });
    const again = await scene.run();
    await expect.poll(() => scene.count(`told ${jobs[index] ?? ""}`), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => scene.count("asked"), { timeout: 60_000 }).toBe(index + 1);
    const told = jobs.slice(0, index + 1).map((job) => `${job} done 1`);
    expect(scene.rows()).toEqual(told.toSorted());
    await again.end("SIGTERM");
  }
  expect(jobs.map((job) => `${job} ${scene.count(`told ${job}`)}`)).toEqual(jobs.map((job) => `${job} 1`));
});
