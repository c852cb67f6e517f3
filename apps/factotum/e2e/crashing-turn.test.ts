import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { callTools, createGate, sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

const POISON = "poison";
const BYSTANDER = "bystander";

/** The message that a request asks to answer: the last person's name in it. */
const askedBy = ({ body }: CapturedRequest): string =>
  JSON.stringify(body)
    .match(/this is (\w+)/g)
    ?.at(-1)
    ?.slice(8) ?? "nobody";

interface Crashes {
  readonly dies: "at its answer" | "in its tool";
  readonly order: readonly string[];
  readonly crashes: number;
}

/** An answer at which the process always dies, or a tool that kills it and that the model calls again each time. */
test.each<Crashes>([
  { dies: "at its answer", order: [POISON, "ann", "ben"], crashes: 4 },
  { dies: "in its tool", order: ["ann", POISON, "ben"], crashes: 8 },
  { dies: "at its answer", order: ["ann", "ben", POISON], crashes: 4 },
])(
  "a turn that crashes the gateway $dies is given up, and the turns that it interrupts are answered once ($order)",
  { timeout: 300_000 },
  async ({ dies, order, crashes }) => {
    const people = [...order, BYSTANDER];
    await using feishu = await FakeFeishu.start({ people: people.map((name) => `ou_${name}`), chats: people.map((name) => `oc_${name}`) });
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    const home = await mkdtemp(path.join(tmpdir(), "factotum-crashing-"));
    await using _home = { [Symbol.asyncDispose]: async () => rm(home, { recursive: true, force: true }) };
    const config = {
      ...feishuConfig(feishu, "ou_poison", { allowFrom: people.map((name) => `ou_${name}`) }),
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" }, list: [{ id: "main", tools: { allow: ["exec"] } }] },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      tools: { exec: { mode: "full" } },
      session: { dmScope: "per-channel-peer" },
    };
    let product: Promise<Product> | undefined;
    let boot = 0;
    /** Resumed turns at the model now, and the maximum by the number of the boot. */
    const asking = new Set<string>();
    const together: number[] = [];
    /** Opened once everyone whose turn runs in this boot waits for the model. */
    let everybody = createGate();
    const bystander = createGate();
    model.respond(async (request) => {
      const name = askedBy(request);
      if (name === BYSTANDER) {
        bystander.open();
        return sayText(`To ${BYSTANDER}.`);
      }
      asking.add(name);
      together[boot] = Math.max(together[boot] ?? 0, asking.size);
      if (asking.size === order.length || boot > 2) everybody.open();
      await everybody.opened;
      if (name !== POISON) {
        // It takes long: before the second crash as long as the process lives, and then until another person has been answered.
        await (boot > 2 ? bystander.opened : new Promise(() => undefined));
        asking.delete(name);
        return sayText(`To ${name}.`);
      }
      // A bystander that is interrupted would be resumed after the others, which wait for it.
      if (boot > 2) await bystander.opened;
      if (dies === "in its tool") return callTools({ name: "exec", arguments: { command: `kill -9 ${(await product)?.pid ?? ""}` } });
      await (await product)?.end("SIGKILL");
      return sayText("Never heard.");
    });
    const events = new Map(
      people.map((name) => {
        const messageId = `om_${name.padEnd(32, "0")}`;
        const content = { text: `this is ${name}` };
        feishu.addInbound({ messageId, chatId: `oc_${name}` });
        const said = {
          chatId: `oc_${name}`,
          chatType: "p2p",
          messageType: "text",
          content,
          senderOpenId: `ou_${name}`,
          messageId,
        } as const;
        return [name, feishuMessageEvent(feishu.app, said)] as const;
      }),
    );
    const say = async (name: string, url: string): Promise<void> => {
      const event = events.get(name);
      if (event !== undefined)
        expect((await fetch(feishuWebhookRequest(feishu.app, `${url}/channels/feishu/default`, event))).status).toBe(200);
    };
    const start = async (): Promise<Product> => {
      boot += 1;
      asking.clear();
      everybody = createGate();
      product = startProduct({ config, home });
      return product;
    };

    let running = await start();
    for (const name of order) await say(name, running.url);
    const isOver = waitForSent(feishu, people.length).then(() => "over" as const);
    for (;;) {
      // From the first boot on in which turns are resumed one at a time, a new person writes, with retries like a platform that gets no answer.
      if (boot > 2) await say(BYSTANDER, running.url).catch((error: unknown) => expect(error).toBeInstanceOf(TypeError));
      if ((await Promise.race([running.ended, isOver])) === "over") break;
      running = await start();
    }
    const dead = JSON.parse((await runCommand(["deadletters", "list", "--json"], { home })).stdout) as { letters: readonly object[] };
    await running.end("SIGTERM");

    const textsOf = (name: string): string[] =>
      feishu.sent.filter(({ receiveId }) => receiveId === `oc_${name}`).map(({ content }) => JSON.stringify(content));
    for (const name of people.filter((each) => each !== POISON)) expect(textsOf(name)).toEqual([expect.stringContaining(`To ${name}.`)]);
    expect(textsOf(POISON)).toEqual([expect.stringContaining("Something went wrong on my side")]);
    expect(boot - 1).toBe(crashes);
    expect(dead.letters).toHaveLength(1);
    expect(JSON.stringify(dead)).toContain(`the gateway stopped while it worked on this, ${crashes} times`);
    expect(together.slice(1, 3)).toEqual([order.length, order.length]);
    expect(Math.max(...together.slice(3))).toBe(1);
    expect(model.violations).toEqual([]);
  },
);
