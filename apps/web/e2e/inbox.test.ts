import type { Approval, DeadLetter, GatewayWarning, PairingRequest } from "@factotum/protocol";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";
import { startProvider } from "./start-provider.ts";

const scene = useScriptedPage();

const MORNING_MS = Date.UTC(2027, 0, 2, 9);
const APPROVAL: Approval = {
  id: "a1",
  agentId: "main",
  sessionKey: "agent:main:main",
  callId: "c1",
  toolName: "exec",
  text: `echo ${"long".repeat(60)}`,
  reason: "Commands are asked about (tools.exec.mode).",
  requestedAtMs: MORNING_MS,
  expiresAtMs: MORNING_MS + 1000,
  isParked: true,
  decisions: ["allow-once", "deny"],
  askedIn: "Ann asked in chat/default.",
};
const REQUEST: PairingRequest = {
  code: "K7RWQ2MX",
  channel: "chat",
  accountId: "default",
  senderId: "U-ann",
  senderName: "آن",
  requestedAtMs: MORNING_MS,
  expiresAtMs: MORNING_MS + 1000,
};
const LETTER: DeadLetter = {
  id: "l1",
  type: "outbound",
  state: "ambiguous",
  reason: "timeout",
  failedAtMs: MORNING_MS,
  channel: "chat",
  accountId: "default",
  text: "See you at eight.",
  replay: "risky",
};
const ASKS: GatewayWarning = { id: `pairing:${REQUEST.code}`, level: "warning", text: "U-ann asks." };
const FULL: GatewayWarning = { id: "storage", level: "error", text: "No messages are taken. The disk is full.", fix: "Free some space." };

const item = (page: Page, words: string | RegExp) => page.getByRole("main").getByRole("listitem").filter({ hasText: words });
const badge = (page: Page) => page.getByRole("navigation").locator(".rail-count");
/** The text of the item that has the focus itself. */
const focused = (page: Page): Promise<string> => page.evaluate(() => document.querySelector<HTMLElement>("li:focus")?.innerText ?? "");

async function openInbox(look: { readonly width: number; readonly dark?: boolean; readonly locale?: string }): Promise<Page> {
  const page = await scene.open(look);
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.waitForURL(/#\/chat\/agent/);
  await page.goto(`${scene.gateway.url}#/inbox`);
  return page;
}

describe.each([...LOOKS, { width: 768, dark: false }, { width: 1920, dark: true }])("$width px, dark: $dark", (look) => {
  test.each([
    ["en-GB", "Inbox", "exec waits for your decision"],
    ["zh-CN", "收件箱", "exec 等待你的决定"],
  ])("in %s it is readable, without faults of access", async (locale, title, approval) => {
    scene.gateway.scripted.inbox = { approvals: [APPROVAL], letters: [LETTER], requests: [REQUEST] };
    scene.gateway.scripted.warnings = [FULL, ASKS];
    const page = await openInbox({ ...look, locale });
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    await item(page, approval).waitFor();
    await item(page, "See you at eight.").waitFor();
    await expect.poll(() => badge(page).first().textContent()).toBe("4");
    expect(await page.title()).toBe(`(4) ${title} · Factotum`);
    // The notices of the other pages do not repeat the list.
    expect(await page.getByText("The disk is full").count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
  });
});

test("a failed run leads to its conversation, where it can be tried again", async () => {
  scene.gateway.scripted.inbox = { approvals: [], letters: [], requests: [] };
  const values = { agent: "main", reason: "It is overloaded.", session: "agent:main:main" };
  scene.gateway.scripted.warnings = [{ id: "run:main", level: "warning", text: "", facts: { code: "run-failed", values } }];
  const page = await openInbox({ width: 360 });
  await item(page, "It is overloaded.").getByRole("link", { name: "Open the conversation" }).click();
  await page.waitForURL(/#\/chat\/agent/);
});

test("items offer what they permit, the keyboard keeps its place when one goes, and the badge follows", async () => {
  const { scripted } = scene.gateway;
  scripted.inbox = { approvals: [APPROVAL], letters: [LETTER, { ...LETTER, id: "l2", replay: "impossible" }], requests: [] };
  scripted.warnings = [FULL];
  const sent: unknown[] = [];
  scripted.intercept = ({ method, params }) => {
    if (!["approvals.decide", "deadletters.replay", "deadletters.purge"].includes(method)) return "handle";
    sent.push(params);
    const { inbox } = scripted;
    if (method === "approvals.decide") scripted.inbox = { ...inbox, approvals: [] };
    else scripted.inbox = { ...inbox, letters: inbox.letters.slice(1) };
    if (method === "approvals.decide") return { answer: { approval: APPROVAL } };
    return { answer: method === "deadletters.purge" ? { purged: 1 } : { replayed: true, sessionKey: "" } };
  };
  const page = await openInbox({ width: 360 });
  await item(page, "exec").waitFor();
  expect(await item(page, "exec").getByRole("button").allInnerTexts()).toEqual(["Allow once", "Deny"]);
  expect(await item(page, "damaged").getByRole("button").allInnerTexts()).toEqual(["Discard…"]);
  await item(page, "exec").getByRole("button", { name: "Deny" }).press("Enter");
  await item(page, "exec").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain("The disk is full.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await item(page, "The disk is full.").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain("See you at eight.");
  await expect.poll(() => badge(page).first().textContent()).toBe("2");

  // What may be shown twice is sent again after a question alone.
  await item(page, "timeout").first().getByRole("button", { name: "Try again…" }).press("Enter");
  await page.getByRole("dialog", { name: "Send it again?" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await item(page, "timeout").first().getByRole("button", { name: "Try again…" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Send again" }).press("Enter");
  await page.getByText("It is tried again.").waitFor();
  await item(page, "damaged").getByRole("button", { name: "Discard…" }).press("Enter");
  await page.getByRole("dialog", { name: "Discard this message?" }).getByRole("button", { name: "Discard", exact: true }).press("Enter");
  await page.getByText("Nothing waits for you.").waitFor();
  expect(sent).toEqual([{ id: "a1", decision: "deny" }, { id: "l1", risk: true }, { ids: ["l2"] }]);
  await badge(page).first().waitFor({ state: "detached" });
  expect(await page.title()).toBe("Inbox · Factotum");
  expect(await findViolations(page)).toEqual([]);
});

test("a message that fails again after it was tried again says so", async () => {
  const { scripted } = scene.gateway;
  const letter: DeadLetter = { ...LETTER, state: "dead", replay: "safe" };
  scripted.inbox = { approvals: [], letters: [letter], requests: [] };
  scripted.intercept = ({ method }) => {
    if (method !== "deadletters.replay") return "handle";
    scripted.inbox = { ...scripted.inbox, letters: [{ ...letter, failedAtMs: MORNING_MS + 1 }] };
    return { answer: { replayed: true, sessionKey: "" } };
  };
  const page = await openInbox({ width: 390 });
  await item(page, "timeout").getByRole("button", { name: "Try again" }).click();
  await item(page, "It was tried again, and failed again").waitFor();
  // On a phone what a toast says is at the top: it covers no field and no control at the bottom.
  const box = await page.getByText("It is tried again. If").boundingBox();
  expect(box?.y).toBeLessThan(200);
});

test("a refused decision is explained, and the item stays", async () => {
  scene.gateway.scripted.inbox = { approvals: [APPROVAL], letters: [], requests: [] };
  const page = await openInbox({ width: 1280 });
  // The scripted gateway has no such method.
  await item(page, "exec").getByRole("button", { name: "Allow once" }).press("Enter");
  await page.getByText("The scripted gateway has no approvals.decide.").waitFor();
  await expect.poll(() => focused(page), { timeout: 20_000 }).toContain("exec");
  await item(page, "exec").getByRole("button", { name: "Allow once", disabled: false }).waitFor();
});

test("a call that waits is decided on where its conversation says so", async () => {
  const { scripted } = scene.gateway;
  const decided: unknown[] = [];
  scripted.inbox = { approvals: [APPROVAL], letters: [], requests: [] };
  scripted.intercept = ({ method, params }) => {
    if (method !== "approvals.decide") return "handle";
    decided.push(params);
    scripted.inbox = { approvals: [], letters: [], requests: [] };
    return { answer: { approval: APPROVAL } };
  };
  scripted.conversation(APPROVAL.sessionKey).session.note("warning", "exec waits for your decision.", APPROVAL.id);
  const page = await scene.openChat({ width: 360, dark: true });
  const buttons = page.getByRole("group", { name: "exec waits for your decision" }).getByRole("button");
  await expect.poll(() => buttons.allInnerTexts()).toEqual(["Allow once", "Deny"]);
  expect(await findViolations(page)).toEqual([]);
  await buttons.first().press("Enter");
  await expect.poll(() => decided).toEqual([{ id: APPROVAL.id, decision: "allow-once" }]);
  await expect.poll(() => buttons.count()).toBe(0);
});

test("in the built product a call, a person and a message that came too late are decided on from the list", async () => {
  const people = ["ou_olga", "ou_eve"];
  await using feishu = await FakeFeishu.start({ people, chats: people.map((name) => `oc_${name}`) });
  await using provider = await startProvider();
  let asked = 0;
  provider.server.respond(() => {
    asked += 1;
    return asked === 1 ? callTools({ name: "exec", arguments: { command: "echo made-by-$((40 + 2))" } }) : sayText("Here you are.");
  });
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  const transport = { type: "webhook", encryptKey, verificationToken };
  await using product = await startProduct({
    config: {
      ...provider.config,
      commands: { ownerAllowFrom: ["feishu:ou_olga"] },
      channels: { feishu: { appId, appSecret, baseUrl: feishu.baseUrl, allowFrom: ["ou_olga"], transport } },
    },
  });
  let serial = 0;
  const say = async (person: string, text: string, ageMs = 0): Promise<void> => {
    serial += 1;
    const messageId = `om_${String(serial).padStart(32, "0")}`;
    const chatId = `oc_${person}`;
    feishu.addInbound({ messageId, chatId });
    const createTimeMs = Date.now() - ageMs;
    const message = {
      chatId,
      chatType: "p2p",
      messageType: "text",
      content: { text },
      senderOpenId: person,
      messageId,
      createTimeMs,
    } as const;
    const request = feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, feishuMessageEvent(feishu.app, message));
    expect((await fetch(request)).status).toBe(200);
  };
  const sentTo = (person: string): readonly string[] =>
    feishu.sent.filter(({ receiveId }) => receiveId === `oc_${person}`).map(({ content }) => JSON.stringify(content));
  const gateway = { url: `${product.url}/`, token: product.token, close: async () => undefined };
  const [page, other] = [await scene.openChat({ width: 1280 }, gateway), await scene.openChat({ width: 360, dark: true }, gateway)];
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Make it.");
  await field.press("Enter");
  await say("ou_eve", "Let me in.");
  await say("ou_olga", "An old wish.", 30 * 3_600_000);
  for (const one of [page, other]) await expect.poll(() => badge(one).first().textContent(), { timeout: 15_000 }).toBe("3");

  await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).click();
  await item(page, "An old wish.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await item(page, "echo made-by").getByRole("button", { name: "Allow once" }).click();
  await item(page, "echo made-by").waitFor({ state: "detached" });
  await expect.poll(() => JSON.stringify(provider.server.requests.at(-1)?.body)).toContain("made-by-42");
  await item(page, "ou_eve").getByRole("button", { name: "Approve" }).click();
  await item(page, "ou_eve").waitFor({ state: "detached" });
  await say("ou_eve", "Hello.");
  await expect.poll(() => sentTo("ou_eve").at(-1)).toContain("Here you are.");
  await item(page, "An old wish.").getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => sentTo("ou_olga").at(-1)).toContain("Here you are.");
  await page.getByText("Nothing waits for you.").waitFor();
  for (const one of [page, other]) await badge(one).first().waitFor({ state: "detached" });

  await say("ou_olga", "Another old wish.", 30 * 3_600_000);
  await item(page, "Another old wish.").getByRole("button", { name: "Discard…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByText("Nothing waits for you.").waitFor();
  await page.reload();
  await page.getByText("Nothing waits for you.").waitFor();
});
