import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FakeFeishu, FakeTelegram, feishuMessageEvent, feishuWebhookRequest, telegramMessageUpdate } from "@factotum/testing-channels";
import { FakeRegistry, runCommand } from "@factotum/testing-product";
import { callTools, type ListingServer, sayText, startListingServer } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClickCounter, countClicks } from "./click-counter.ts";
import { button } from "./named.ts";
import { useProductPage } from "./product-page.ts";
import type { TestProvider } from "./start-provider.ts";

const EXTENSION = fileURLToPath(new URL("../../../extensions/telegram", import.meta.url));
const KEY = "gsk-right-0123456789abcdef";
const OWNER = "ou_olga";
const MAX_CLICKS = 5;
const HOME = "# Facts\n\n- Lives in Basel.\n";
const MOVED = "# Facts\n\n- Lives in Zürich.\n";
const MONTH_MS = 30 * 86_400_000;

let listing: ListingServer;
let registry: FakeRegistry;
let telegram: FakeTelegram;
let feishu: FakeFeishu;
const scene = useProductPage(async (provider) => {
  [listing, registry, telegram, feishu] = await Promise.all([
    startListingServer({ key: KEY, models: ["openai/gpt-oss-120b"] }),
    FakeRegistry.start(),
    FakeTelegram.start(),
    FakeFeishu.start({ people: [OWNER], chats: [`oc_${OWNER}`] }),
  ]);
  await registry.publishDependencies(EXTENSION);
  answer(provider);
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  const limits = { contextWindow: 100_000, maxOutput: 1000, cost: { input: 3, output: 15 } };
  const models = [
    { id: "m", ...limits },
    { id: "n", ...limits },
  ];
  return {
    config: {
      ...provider.config,
      models: { providers: { local: { ...provider.config.models.providers["local"], models }, groq: { baseUrl: listing.url } } },
      commands: { ownerAllowFrom: [`feishu:${OWNER}`] },
      channels: {
        feishu: {
          appId,
          appSecret,
          baseUrl: feishu.baseUrl,
          allowFrom: [OWNER],
          transport: { type: "webhook", encryptKey, verificationToken },
        },
      },
    },
    env: { npm_config_registry: registry.url },
  };
});
beforeAll(async () => {
  await mkdir(file("."), { recursive: true });
  const timestamp = new Date(Date.now() - MONTH_MS).toISOString();
  const lines = [
    { type: "session", id: "v1", timestamp, cwd: "/home/them", provider: "local", modelId: "m" },
    { type: "message", timestamp, message: { role: "user", content: "The heron stood in the garden." } },
  ];
  const transcript = join(scene.product.home, "last-month.jsonl");
  await writeFile(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await run("sessions", "import", transcript, "--key", "agent:main:birds");
});
afterAll(() => Promise.all([listing, registry, telegram, feishu].map((server) => server[Symbol.asyncDispose]())));

/** The model does what it is told once, and then says so. */
function answer({ server }: TestProvider): void {
  server.respond(({ body }) => {
    const newest = (body?.["messages"] as readonly { readonly role: string; readonly content?: unknown }[] | undefined)?.at(-1);
    const said = JSON.stringify(newest?.content ?? "");
    if (newest?.role !== "user") return sayText("It is done.");
    if (said.includes("Write it.")) return callTools({ name: "write", arguments: { path: "plan.txt", content: "its own" } });
    if (said.includes("Note it.")) return callTools({ name: "write", arguments: { path: "MEMORY.md", content: MOVED } });
    if (said.includes("Run it.")) return callTools({ name: "exec", arguments: { command: "echo made-by-$((40 + 2))" } });
    return sayText("Here you are.");
  });
}

const file = (path: string): string => join(scene.product.home, "workspace", path);
const read = (path: string): Promise<string> => readFile(file(path), "utf8");
const askedLast = (): string => JSON.stringify(scene.provider.server.requests.at(-1)?.body);

async function run(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, scene.product);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill(text);
  await field.press("Enter");
}

interface Scene {
  readonly page: Page;
  readonly hand: ClickCounter;
}

interface Task {
  readonly name: string;
  /** What was before the task, which the person did not do for it. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** The whole task, to the end that a person sees. */
  readonly work: (scene: Scene) => Promise<unknown>;
  /** What is true then, outside of the page. */
  readonly after?: () => Promise<unknown>;
}

let serial = 0;

/** A message by the channel that waited too long before it came. */
async function sayTooLate(text: string): Promise<void> {
  serial += 1;
  const messageId = `om_${String(serial).padStart(32, "0")}`;
  const chatId = `oc_${OWNER}`;
  feishu.addInbound({ messageId, chatId });
  const content = { chatId, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: OWNER, messageId } as const;
  const event = feishuMessageEvent(feishu.app, { ...content, createTimeMs: Date.now() - 30 * 3_600_000 });
  expect((await fetch(feishuWebhookRequest(feishu.app, `${scene.product.url}/channels/feishu/default`, event))).status).toBe(200);
}

/** Saves two texts, so that the first is a version. */
async function saveTwice(path: string): Promise<void> {
  for (const text of ["the first\n", "the second\n"]) {
    const source = join(scene.product.home, "source.md");
    await writeFile(source, text);
    await run("files", "write", path, source);
  }
}

const TASKS: readonly Task[] = [
  {
    name: "add a key",
    work: async ({ page, hand }) => {
      await hand.openPage("Settings");
      await hand.choose(page.getByLabel("Provider", { exact: true }), "groq");
      await hand.type(page.getByLabel("Key of Groq"), KEY);
      await page.keyboard.press("Enter");
      await page.getByText("The key of Groq is stored.").waitFor();
    },
    after: () => run("auth", "remove", "groq"),
  },
  {
    name: "connect Telegram",
    work: async ({ page, hand }) => {
      await hand.openPage("Channels");
      await hand.press(page.getByRole("link", { name: /^Telegram/ }));
      await hand.press(button(page, "Install Telegram"));
      const token = page.getByLabel("Token", { exact: true });
      await expect.poll(() => token.evaluate((field) => field === document.activeElement)).toBe(true);
      await hand.type(token, telegram.app.token);
      // The platform of the test, which a person has not.
      await page.getByLabel("Base URL").fill(telegram.baseUrl);
      await token.press("Enter");
      await page.getByText("Connected", { exact: true }).last().waitFor();
      const message = telegram.addMessage({ chatId: 1001, fromId: 1001, text: "Hi" });
      await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
      await hand.press(button(page, "Approve"));
      await page.getByText("may write now.").waitFor();
    },
    after: async () => {
      expect(await run("pairing", "list", "--json")).toContain("1001");
      await run("channels", "remove", "telegram");
      await run("plugins", "remove", "telegram");
    },
  },
  {
    name: "find why an answer was slow",
    before: async (page) => {
      await say(page, "Tell me.");
      await page.getByText("Here you are.").last().waitFor();
    },
    work: async ({ page, hand }) => {
      await hand.press(page.getByRole("link", { name: /^Trace/ }).last());
      await page.getByText("The longest step:").waitFor();
    },
  },
  {
    name: "undo a file change",
    before: async (page) => {
      await writeFile(file("plan.txt"), "mine");
      await say(page, "Write it.");
      await button(page, "Undo the change of plan.txt").last().waitFor();
      expect(await read("plan.txt")).toBe("its own");
    },
    work: async ({ page, hand }) => {
      await hand.press(button(page, "Undo the change of plan.txt").last());
      await expect.poll(() => read("plan.txt")).toBe("mine");
    },
  },
  {
    name: "see today's cost",
    work: async ({ page, hand }) => {
      await hand.openPage("Overview");
      await page.getByRole("region", { name: "Cost today" }).getByText("$").first().waitFor();
    },
  },
  {
    name: "approve a command",
    before: async (page) => {
      await say(page, "Run it.");
      await page.getByRole("group", { name: "exec waits for your decision" }).waitFor();
    },
    work: async ({ page, hand }) => {
      await hand.openPage("Inbox");
      await hand.press(button(page, "Allow once"));
      await page.getByText("Nothing waits for you.").waitFor();
    },
    after: () => expect.poll(askedLast).toContain("made-by-42"),
  },
  {
    name: "restore a note",
    before: async () => {
      await writeFile(file("MEMORY.md"), HOME);
      await run("agent", "--message", "Note it.");
      expect(await read("MEMORY.md")).toBe(MOVED);
    },
    work: async ({ page, hand }) => {
      await hand.openPage("Memory");
      await hand.press(page.getByRole("link", { name: "MEMORY.md" }));
      await hand.press(page.getByRole("tab", { name: "Versions" }));
      await hand.press(button(page, "Restore").first());
      await page.getByText("MEMORY.md is as it was.").waitFor();
    },
    after: () => expect.poll(() => read("MEMORY.md")).toBe(HOME),
  },
  {
    name: "restore another file of the agent than the first",
    before: () => saveTwice("IDENTITY.md"),
    work: async ({ page, hand }) => {
      await hand.openPage("Agent");
      await hand.press(button(page, /^IDENTITY\.md/));
      await hand.press(button(page, "History"));
      await page.locator("ins", { hasText: "the first" }).waitFor();
      await hand.press(button(page, "Restore"));
      await page.getByText("IDENTITY.md is as it was.").waitFor();
    },
    after: () => expect.poll(() => read("IDENTITY.md")).toBe("the first\n"),
  },
  {
    name: "replay a dead letter",
    before: () => sayTooLate("An old wish."),
    work: async ({ page, hand }) => {
      await hand.openPage("Inbox");
      await hand.press(button(page, "Try again"));
      await page.getByText("Nothing waits for you.").waitFor();
    },
    after: () => expect.poll(() => JSON.stringify(feishu.sent.at(-1)?.content)).toContain("Here you are."),
  },
  {
    name: "change the model for one chat",
    work: async ({ page, hand }) => {
      await hand.choose(page.getByLabel("Model", { exact: true }), "local/n");
      await say(page, "Tell me.");
      await expect.poll(askedLast).toContain('"model":"n"');
      await page.getByLabel("Model", { exact: true }).selectOption("local/m");
    },
  },
  {
    name: "find a word said last month",
    work: async ({ page, hand }) => {
      const search = page.getByRole("searchbox", { name: "Search conversations" });
      if ((await search.count()) === 0) await hand.press(button(page, "Conversations"));
      await hand.type(search, "heron");
      await hand.press(page.getByRole("region", { name: "In messages" }).getByRole("button"));
      await page.locator("[data-entry]:focus", { hasText: "The heron stood in the garden." }).waitFor();
    },
  },
];

describe.each([360, 1280])("from the chat at %i px", (width) => {
  test.each(TASKS)("$name takes five clicks at most", async ({ before, work, after }) => {
    const page = await scene.open({ width });
    await before?.(page);
    const hand = await countClicks(page);
    await work({ page, hand });
    const clicks = await hand.count();
    expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
    expect(clicks).toBeGreaterThan(0);
    await after?.();
  });
});
