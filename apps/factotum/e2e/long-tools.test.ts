import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const LONG = ["ann", "ben", "cid"];
const QUICK = "dora";

const askedBy = ({ body }: CapturedRequest): string => JSON.stringify(body).match(/this is (\w+)/)?.[1] ?? "nobody";
const hasResult = ({ body }: CapturedRequest): boolean => JSON.stringify(body).includes('"tool_result"');

test(
  "long commands in as many sessions as the lane has places block no one, and have a limit of their own",
  { timeout: 300_000 },
  async () => {
    const people = [...LONG, QUICK];
    await using feishu = await FakeFeishu.start({ people: people.map((name) => `ou_${name}`), chats: people.map((name) => `oc_${name}`) });
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-long-tools-"));
    await using _folder = { [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }) };
    const started = path.join(folder, "started");
    const go = path.join(folder, "go");
    model.respond((request) => {
      const name = askedBy(request);
      if (name === QUICK || hasResult(request)) return sayText(`To ${name}.`);
      return callTools({
        name: "exec",
        arguments: { command: `echo ${name} >> ${started}; until [ -e ${go} ]; do sleep 0.02; done`, yieldMs: 600_000 },
      });
    });
    const config = {
      ...feishuConfig(feishu, "ou_ann", { allowFrom: people.map((name) => `ou_${name}`) }),
      commands: { ownerAllowFrom: people.map((name) => `feishu:ou_${name}`) },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5", maxConcurrent: 2 }, list: [{ id: "main", tools: { allow: ["exec"] } }] },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      tools: { exec: { mode: "full", maxConcurrent: 2 } },
      session: { dmScope: "per-channel-peer" },
    };
    await using product = await startProduct({ config });
    const say = async (name: string): Promise<void> => {
      const messageId = `om_${name.padEnd(32, "0")}`;
      feishu.addInbound({ messageId, chatId: `oc_${name}` });
      const content = { text: `this is ${name}` };
      const said = { chatId: `oc_${name}`, chatType: "p2p", messageType: "text", content, senderOpenId: `ou_${name}`, messageId } as const;
      const event = feishuMessageEvent(feishu.app, said);
      expect((await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event))).status).toBe(200);
    };
    for (const name of LONG) await say(name);
    // Each of them has been asked, so each runs its command or waits for it: more than the lane has places.
    await expect.poll(() => new Set(model.requests.map(askedBy)).size).toBe(LONG.length);
    await say(QUICK);
    await waitForSent(feishu, 1);
    const chats = () => feishu.sent.map(({ receiveId }) => receiveId);
    expect(chats()).toEqual([`oc_${QUICK}`]);
    // The third command waits for one of the two.
    expect((await readFile(started, "utf8")).trim().split("\n")).toHaveLength(2);
    await writeFile(go, "");
    await waitForSent(feishu, people.length);
    expect(chats().toSorted()).toEqual(people.map((name) => `oc_${name}`).toSorted());
    expect((await readFile(started, "utf8")).trim().split("\n").toSorted()).toEqual(LONG);
    expect(model.violations).toEqual([]);
  },
);
