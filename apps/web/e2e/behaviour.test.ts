import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";
import { startBuiltGateway } from "./start-gateway.ts";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const END_OF_ANSWER = "skip hidden folders";

const scene = useScriptedPage();

const said = (page: Page) => page.getByRole("article", { name: "You" });
const answerOf = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();
const main = () => scene.gateway.scripted.conversation("agent:main:main").session;

async function say(page: Page, text: string): Promise<void> {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(text);
  await input.press("Enter");
}

/** Simulates a hidden tab: no animation frames, and `document.hidden`. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    if (hidden) window.requestAnimationFrame = () => 0;
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

test("the built product: commands keep their structure and input, live and after a reload, and cost no model call", async () => {
  const product = await startBuiltGateway();
  try {
    const page = await scene.openChat({ width: 1280 }, product);
    const check = async (): Promise<void> => {
      await page.locator("dt", { hasText: /^\/help$/ }).waitFor();
      expect(await page.locator(".notice dt").count()).toBeGreaterThan(10);
      await said(page).filter({ hasText: "/help" }).waitFor();
      await said(page).filter({ hasText: "/hepl" }).waitFor();
      await page.locator(".notice", { hasText: "There is no command /hepl. Did you mean /help?" }).waitFor();
      await page.getByText("List the files first").waitFor();
      expect(await findViolations(page)).toEqual([]);
    };
    await say(page, "List the files first");
    await answerOf(page).locator(".time").waitFor();
    await say(page, "/help");
    await say(page, "/hepl");
    await check();
    await page.reload();
    await check();
    await say(page, "/new");
    await page.locator(".notice", { hasText: "This is a new conversation." }).waitFor();
    expect(await said(page).allInnerTexts()).toEqual([expect.stringContaining("/new")]);
    await page.reload();
    await page.locator(".notice", { hasText: "This is a new conversation." }).waitFor();
    expect(await page.getByRole("article", { name: "Assistant" }).count()).toBe(0);
    await say(page, "hello");
    await answerOf(page).getByText("Hello! I can show you").waitFor();
  } finally {
    await product.close();
  }
});

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("a failed message is sent again once, and shown once", async () => {
    const page = await scene.openChat(look);
    main().say("list them", "k-1");
    main().note("error", "The provider refused the key.");
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await retry.dblclick();
    await answerOf(page).getByText(END_OF_ANSWER).waitFor();
    const sent = scene.gateway.scripted.requests.filter(({ method }) => method === "chat.send");
    expect(sent.map(({ params }) => (params as { readonly text: string }).text)).toEqual(["list them"]);
    expect(await said(page).count()).toBe(1);
    await page.reload();
    await answerOf(page).getByText(END_OF_ANSWER).waitFor();
    expect(await said(page).count()).toBe(1);
    expect(await retry.count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });
});

test("an answer is copied as Markdown, and a sent message is put into the field for editing", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await say(page, "list them");
  await answerOf(page).getByText(END_OF_ANSWER).waitFor();
  await answerOf(page).getByRole("button", { name: "Copy answer" }).click();
  await answerOf(page).getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("| `AGENTS.md` | rules for the assistant |");
  await said(page).getByRole("button", { name: "Edit message" }).click();
  await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value)).toBe("list them");
});

test.each([
  ["wrong", "wrong"],
  ["far too long", "x".repeat(100_000)],
])("a %s token in the address does not replace a valid one", async (_name, token) => {
  const page = await scene.openChat({ width: 1280 });
  await page.goto(`${scene.gateway.url}#token=${token}`);
  await page.getByText("The address held a token that this gateway refuses.").waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("factotum.token"))).toBe(scene.gateway.token);
  await page.reload();
  await page.getByText("Connected", { exact: true }).waitFor();
});

test("a conversation with the name of a property of every object is one like others", async () => {
  const page = await scene.openChat({ width: 1280 });
  for (const key of ["constructor", "__proto__"]) {
    await page.goto(`${scene.gateway.url}#/chat/${key}`);
    const field = page.getByRole("textbox", { name: "Message" });
    await expect.poll(() => field.inputValue()).toBe("");
    await field.fill(`for ${key}`);
    expect(await field.inputValue()).toBe(`for ${key}`);
  }
});

test("a file dropped anywhere is attached, with a hint while it is dragged", async () => {
  const page = await scene.openChat({ width: 1280 });
  const drag = (type: "dragenter" | "dragover" | "dragleave" | "drop"): Promise<boolean> =>
    page.locator(".topbar").evaluate(
      (target, { kind, dot }) => {
        const data = new DataTransfer();
        data.items.add(
          new File([Uint8Array.from(atob(dot), (character) => character.charCodeAt(0))], "dropped.png", { type: "image/png" }),
        );
        // The browser's default, which would navigate to the file, is prevented.
        return target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
      },
      { kind: type, dot: DOT },
    );
  const zone = page.getByText("Drop files to attach them");
  expect(await drag("dragenter")).toBe(false);
  await zone.waitFor();
  await drag("dragleave");
  await zone.waitFor({ state: "detached" });
  await drag("dragover");
  await zone.waitFor();
  expect(await drag("drop")).toBe(false);
  await zone.waitFor({ state: "detached" });
  await page.getByRole("list", { name: "Attached files" }).getByRole("img", { name: "dropped.png", exact: true }).waitFor();
  expect(await page.getByRole("list", { name: "Attached files" }).getByRole("img").count()).toBe(1);
});

test("prints the whole conversation without the controls", async () => {
  for (let index = 0; index < 40; index += 1) main().say(`message number ${index}`, `k-${index}`);
  const page = await scene.openChat({ width: 1280 });
  await page.getByText("message number 39", { exact: true }).waitFor();
  await page.getByText("message number 0", { exact: true }).waitFor({ state: "attached" });
  await page.emulateMedia({ media: "print" });
  const isWhole = await page.locator(".chat-scroll").evaluate((element) => element.scrollHeight <= element.clientHeight + 1);
  expect(isWhole).toBe(true);
  expect(await page.getByRole("textbox", { name: "Message" }).isVisible()).toBe(false);
  expect(await page.getByRole("button", { name: "New chat" }).isVisible()).toBe(false);
  const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.length).toBeLessThan(6);
});

test("a hidden tab shows the number of new answers in its title", async () => {
  const page = await scene.openChat({ width: 1280 });
  await say(page, "answer slowly");
  await scene.gateway.gate.reached();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await hide(page, true);
  scene.gateway.gate.open();
  await expect.poll(() => page.title()).toBe("(1) Main · Factotum");
  await hide(page, false);
  await expect.poll(() => page.title()).toBe("Main · Factotum");
});

test("the list of conversations is one tab stop, with groups and a search", async () => {
  for (let index = 0; index < 12; index += 1)
    scene.gateway.scripted.conversation(`agent:main:webchat:direct:c${index}`).session.say(`hello ${index}`, `k-${index}`);
  const page = await scene.openChat({ width: 1280 });
  const rows = page.locator(".session-open");
  await expect.poll(() => rows.count()).toBe(13);
  await page.getByText("Today", { exact: true }).waitFor();
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute("data-row") ?? document.activeElement?.getAttribute("role"));
  await page.getByRole("searchbox", { name: "Search conversations" }).focus();
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("agent:main:main");
  await page.keyboard.press("ArrowDown");
  const first = await focused();
  expect(first).toContain(":c");
  await page.keyboard.press("ArrowRight");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Manage WebChat c/);
  await page.keyboard.press("ArrowLeft");
  expect(await focused()).toBe(first);
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest(".session-rows"))).toBeNull();
  await page.getByRole("searchbox").fill("c11");
  await expect.poll(() => rows.count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
});

test("the newest plan of a turn is shown as a list", async () => {
  const page = await scene.openChat({ width: 1280 });
  main().startRun();
  for (const [index, status] of ["in_progress", "completed"].entries()) {
    const plan = [
      { step: "Read the logs", status },
      { step: "Fix it", status: "pending" },
    ];
    const call = { id: `p-${index}`, name: "update_plan", argumentsText: JSON.stringify({ plan }) };
    main().commitAnswer([call], "toolUse");
    main().startTool(call);
    main().endTool(call.id, "The plan is shown.", false, false);
  }
  await page.locator(".plan .completed", { hasText: "Read the logs" }).waitFor();
  expect(await page.locator(".plan").count()).toBe(1);
  expect(await page.locator(".plan li").allInnerTexts()).toEqual([
    expect.stringContaining("Read the logs"),
    expect.stringContaining("Fix it"),
  ]);
  expect(await findViolations(page)).toEqual([]);
});

test("a stopped tool is not shown as failed, and the next model is in the status line", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.locator(".status-line").getByText("demo/next").waitFor();
  main().startRun();
  main().startBlock("text");
  main().write(`![A dot](data:image/png;base64,${DOT})`);
  const call = { id: "c-1", name: "exec", argumentsText: '{"command":"sleep 60"}' };
  main().commitAnswer([call], "toolUse");
  main().startTool(call);
  main().endTool(call.id, "The run was stopped while exec was at work.", true, true);
  main().endRun("aborted", "Stopped.");
  await page.locator(".tool.stopped").getByText("Stopped", { exact: true }).waitFor();
  expect(await page.locator(".tool.stopped").getAttribute("open")).toBeNull();
  expect(await page.getByRole("img", { name: "A dot" }).evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  const tops = await page
    .locator(".status-line > *")
    .evaluateAll((parts) => parts.map((part) => (part.getBoundingClientRect().top + part.getBoundingClientRect().bottom) / 2));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(1.5);
});
