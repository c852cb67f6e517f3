import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

async function say(page: Page, text: string): Promise<void> {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(text);
  await input.press("Enter");
}

const answerOf = (page: Page) => page.getByRole("article", { name: "Assistant" }).last();
const END_OF_ANSWER = "skip hidden folders";

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("axe finds no serious violation in any state", async () => {
    const page = await scene.openChat(look);
    await say(page, "the tool slowly, and the answer slowly; fail");
    await scene.gateway.gate.reached();
    await page.locator(".tool.running").waitFor();
    expect(await findViolations(page)).toEqual([]);
    scene.gateway.gate.open();
    await scene.gateway.gate.reached();
    await page.locator(".tool.failed").waitFor();
    await say(page, "and more");
    await page.getByText("1 message waits for its turn.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    scene.gateway.gate.open();
    await page.locator(".tool.done").waitFor();
    if (look.width < 800) await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("button", { name: "Manage Main" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Start over…" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    if (look.width < 800) await page.keyboard.press("Escape");
    scene.gateway.scripted.intercept = (request) => (request.method === "chat.send" ? { answer: { nonsense: true } } : "handle");
    await say(page, "lost");
    await page.getByRole("button", { name: "Send again" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});

test.each([360, 1280])("at %i px a reload in the middle of an answer shows what was written and continues", async (width) => {
  const page = await scene.openChat({ width });
  await say(page, "answer slowly");
  await scene.gateway.gate.reached();
  await answerOf(page).getByText("three files").waitFor();
  await page.reload();
  await answerOf(page).getByText("three files").waitFor();
  expect(await answerOf(page).innerText()).not.toContain(END_OF_ANSWER);
  scene.gateway.gate.open();
  await answerOf(page).getByText(END_OF_ANSWER).waitFor();
  expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);
  expect(await page.locator(".tool").count()).toBe(1);
  expect(await answerOf(page).locator("td").count()).toBe(6);
});

test("a lost connection is shown, typed messages wait, and both sides are complete after it", async () => {
  const page = await scene.openChat({ width: 1280 });
  await say(page, "tool slowly");
  await scene.gateway.gate.reached();
  scene.gateway.scripted.cut();
  await page.getByText("Trying again").waitFor();
  await say(page, "typed while away");
  await page.getByText("Connected").waitFor();
  await page.getByRole("article", { name: "You" }).filter({ hasText: "typed while away" }).waitFor();
  scene.gateway.gate.open();
  await page.getByText(END_OF_ANSWER).nth(1).waitFor();
  const said = scene.gateway.scripted.conversation("agent:main:main").session.entries.filter((entry) => entry.type === "user");
  expect(said.map((entry) => entry.text)).toEqual(["tool slowly", "typed while away"]);
});

test("a run is stopped by the button and by Escape", async () => {
  const page = await scene.openChat({ width: 360 });
  await say(page, "answer slowly");
  await scene.gateway.gate.reached();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await say(page, "answer slowly again");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Stopped.").nth(1).waitFor();
});

test("without a token or with a wrong one the page asks for it; a valid one connects", async () => {
  const page = await scene.open({ width: 360 });
  await page.goto(scene.gateway.url);
  const field = page.getByLabel("Token");
  await field.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await field.fill("wrong");
  await field.press("Enter");
  await page.getByRole("alert").filter({ hasText: "The token is not the one of this gateway." }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await field.fill(scene.gateway.token);
  await field.press("Enter");
  await page.getByText("Connected").waitFor();
});

test("the printed address works in a page that is already open", async () => {
  const page = await scene.open({ width: 360 });
  await page.goto(scene.gateway.url);
  await page.getByLabel("Token").waitFor();
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("Connected").waitFor();
  expect(page.url()).not.toContain("token");
});

test.each([360, 1280])("at %i px conversations are created, named, switched and deleted by keyboard", async (width) => {
  const page = await scene.openChat({ width });
  const press = async (name: string | RegExp): Promise<void> => {
    const button = page.getByRole("button", { name }).first();
    await button.focus();
    await page.keyboard.press("Enter");
  };
  const list = async (): Promise<void> => {
    if (width < 800) await press("Conversations");
  };
  await say(page, "hello main");
  await answerOf(page).getByText(END_OF_ANSWER).waitFor();
  await list();
  await press("New chat");
  await page.getByRole("heading", { name: "New chat" }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Message");
  await page.keyboard.type("hello there");
  await page.keyboard.press("Enter");
  await answerOf(page).getByText(END_OF_ANSWER).waitFor();
  await list();
  await press(/^Manage WebChat/);
  await page.getByLabel("Name").fill("Garden");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Garden", level: 1, includeHidden: true }).waitFor();
  await press(/^Main/);
  await page.getByText("hello main").waitFor();
  await page.goBack();
  await page.getByText("hello there").waitFor();
  await list();
  await press("Manage Garden");
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value)).toBe("Garden");
  await press("Delete");
  if (width < 800) await page.keyboard.press("Escape");
  await page.getByText("hello main").waitFor();
  await page.getByText("Deleted “Garden”.").waitFor();
  await press("Undo");
  await list();
  await press("Manage Garden");
  await press("Delete");
  if (width < 800) await page.keyboard.press("Escape");
  await expect.poll(() => scene.gateway.scripted.requests.filter(({ method }) => method === "sessions.delete").length).toBe(1);
  await page.getByText("Garden").waitFor({ state: "detached" });
});

test("a malicious answer stays text: nothing is loaded or executed", async () => {
  const page = await scene.openChat({ width: 1280 });
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  session.startRun();
  session.startBlock("text");
  session.write(
    "<img src=https://tracker.example/a.png onerror=alert(1)>\n\n![pixel](https://tracker.example/b.png)\n\n[go](javascript:alert(1)) <script>alert(1)</script> tail",
  );
  session.commitAnswer([], "stop");
  session.endRun("done");
  await answerOf(page).getByText("tail").waitFor();
  expect(await page.locator(".prose img, .prose script, .prose [onerror]").count()).toBe(0);
  expect(await page.getByRole("link", { name: "Image: pixel" }).getAttribute("rel")).toBe("noopener noreferrer");
  expect(await page.getByRole("link", { name: "go", exact: true }).count()).toBe(0);
});

test("the theme follows the device, and a chosen theme survives a reload", async () => {
  const page = await scene.openChat({ width: 360, dark: true });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  const colours = page.getByRole("combobox", { name: "Colours" });
  expect(await colours.locator("option").allTextContents()).toEqual(["As the device", "Light", "Dark"]);
  expect(await colours.inputValue()).toBe("system");
  await colours.focus();
  await page.keyboard.press("ArrowDown");
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  await page.getByText("Connected").waitFor();
  expect(await colours.inputValue()).toBe("light");
  expect(await background()).toBe(light);
});
