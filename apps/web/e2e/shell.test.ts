import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("the pages are reached by their links and by the browser's buttons, and each has its own address", async () => {
    const page = await scene.openChat(look);
    expect(new URL(page.url()).hash).toBe("#/chat/agent:main:main");
    const pages = page.getByRole("navigation", { name: "Pages" });
    // The bar of a phone has places for four pages.
    const isPhone = look.width < 500;
    if (isPhone) await pages.getByRole("button", { name: "More" }).click();
    await pages.getByRole("link", { name: "Context" }).click();
    await page.getByRole("heading", { name: "Context", level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/context/agent:main:main");
    if (!isPhone) expect(await pages.getByRole("link", { name: "Context" }).getAttribute("aria-current")).toBe("page");
    expect(await findViolations(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.goForward();
    await page.getByRole("heading", { name: "Context", level: 1 }).waitFor();
    await pages.getByRole("link", { name: "Chat" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.goto(`${scene.gateway.url}#/nowhere`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
  });
});

test("addresses of versions without routes lead where they led", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.goto(`${scene.gateway.url}#session=agent:main:main&view=context`);
  await page.getByRole("heading", { name: "Context", level: 1 }).waitFor();
  await expect.poll(() => new URL(page.url()).hash).toBe("#/context/agent:main:main");
  await page.goto(`${scene.gateway.url}#session=agent:main:webchat:direct:old`);
  await page
    .getByRole("heading", { name: "WebChat" })
    .or(page.getByRole("heading", { name: "New chat" }))
    .waitFor();
  expect(new URL(page.url()).hash).toBe("#/chat/agent:main:webchat:direct:old");
  await page.goto(scene.gateway.url);
  await expect.poll(() => new URL(page.url()).hash).toBe("#/chat/agent:main:main");
});

test("the first link of each page leads to its main part", async () => {
  const page = await scene.openChat({ width: 1280 });
  const focused = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.id);
  await page.getByRole("link", { name: "Go to the message field" }).press("Enter");
  expect(await focused()).toBe("Message");
  await page.getByRole("link", { name: "Context" }).click();
  await page.getByRole("heading", { name: "Context", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Go to the content" }).press("Enter");
  expect(await focused()).toBe("content");
  expect(new URL(page.url()).hash).toBe("#/context/agent:main:main");
});

test.each([360, 1280])("at %i px the palette finds pages, actions and conversations by keyboard alone", async (width) => {
  const page = await scene.openChat({ width });
  const field = page.getByRole("combobox", { name: "Search pages and actions" });
  const chosen = () => page.getByRole("dialog").getByRole("option", { selected: true }).innerText();
  await page.keyboard.press("Control+k");
  await field.waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("combobox");
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  expect(await chosen()).toBe("Inbox");
  await page.keyboard.type("chat");
  expect(await chosen()).toBe("Chat");
  await page.keyboard.press("ArrowDown");
  expect(await chosen()).toBe("New chat");
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/chat\/agent:main:webchat/);
  await page.keyboard.press("Control+k");
  await field.fill("dark");
  await field.press("Enter");
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  expect(await page.getByRole("combobox", { name: "Colours" }).inputValue()).toBe("dark");
  for (const name of ["Overview", "Inbox", "Chat"]) {
    await page.keyboard.press("Control+k");
    await field.fill(name);
    await field.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toContain(`#/${name.toLowerCase()}`);
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("main")?.id)).toBe("content");
  }
  await page.keyboard.press("Control+k");
  await field.fill("no such thing");
  await page.getByText("Nothing has these words.").waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});

test("the language is the browser's until another one is chosen, which survives a reload", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.getByRole("button", { name: "More" }).click();
  const choice = page.getByRole("group", { name: "Language" });
  await choice.waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await choice.getByRole("radio", { name: "As the browser" }).isChecked()).toBe(true);
  await choice.getByText("中文").click();
  await page.getByText("已连接", { exact: true }).waitFor();
  const language = () => page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dir}`);
  expect(await language()).toBe("zh-CN ltr");
  await page.reload();
  await page.getByText("已连接", { exact: true }).waitFor();
  expect(await language()).toBe("zh-CN ltr");
  await page.getByRole("button", { name: "更多" }).click();
  await page.getByText("跟随浏览器").click();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("Connected", { exact: true }).waitFor();
});

test("a language that cannot be loaded leaves the page as it was, and a page that begins in it is in English", async () => {
  const browser = await openBrowser();
  const address = `${scene.gateway.url}#token=${scene.gateway.token}`;
  for (const locale of ["en-GB", "zh-CN"]) {
    const { page, close } = await openPage(browser, { width: 1280, locale });
    await page.route("**/zh-CN*.js", (route) => route.abort());
    await page.goto(address);
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
    await page.getByRole("button", { name: "More" }).click();
    const choice = page.getByRole("group", { name: "Language" });
    await choice.getByText("中文").click();
    await page.getByText("The language could not be loaded.").waitFor();
    expect(await choice.getByRole("radio", { name: "As the browser" }).isChecked()).toBe(true);
    await close();
  }
  await browser.close();
});

test("a page whose program cannot be loaded says so, leaves the others usable, and is opened once it can", async () => {
  const browser = await openBrowser();
  const { page, close } = await openPage(browser, { width: 1280 });
  let isBroken = true;
  await page.route(/overview-page.*\.(?:js|css)$/, (route) => (isBroken ? route.abort() : route.continue()));
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "This page has a fault" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await pages.getByRole("link", { name: "Chat" }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await pages.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "This page has a fault" }).waitFor();
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(await page.evaluate(() => [...document.styleSheets].every(({ cssRules }) => cssRules.length > 0))).toBe(true);
  await close();
  await browser.close();
});

test.each([
  ["en-GB", "The program of this page could not be loaded."],
  ["zh-CN", "无法加载此页面的程序。"],
])("a page whose main program cannot be loaded says so in %s", async (locale, words) => {
  const browser = await openBrowser();
  const { page, close } = await openPage(browser, { width: 1280, locale });
  await page.route("**/start-*.js", (route) => route.abort());
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText(words).waitFor();
  expect(page.url()).not.toContain(scene.gateway.token);
  await expect.poll(() => scene.gateway.scripted.connections).toBe(0);
  await close();
  await browser.close();
});

test("without its first program the page says what to do after some seconds", async () => {
  const browser = await openBrowser();
  const { page, close } = await openPage(browser, { width: 360 });
  await page.route("**/main-*.js", (route) => route.abort());
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("Opening Factotum…").waitFor();
  for (const words of ["check that the gateway runs", "请确认网关正在运行"]) {
    const note = page.getByText(words);
    expect(await note.evaluate((element) => getComputedStyle(element).visibility)).toBe("hidden");
    await note.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()));
    await note.waitFor();
  }
  await close();
  await browser.close();
});

test("an address with an empty token opens the chat, and one that encodes nothing asks the gateway for nothing", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.goto(`${scene.gateway.url}#token=`);
  await page.waitForURL(/#\/chat\/agent:main:main$/);
  const subscribed = (): number => scene.gateway.scripted.requests.filter(({ method }) => method === "chat.subscribe").length;
  const before = subscribed();
  await page.goto(`${scene.gateway.url}#/chat/agent:main:%zz%`);
  await page.getByText("The address of this page is not known.").waitFor();
  expect(subscribed()).toBe(before);
});

test("a page that is opened for the first time without the gateway says so, and opens once it is back", async () => {
  const browser = await openBrowser();
  const { page, close } = await openPage(browser, { width: 1280 });
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.context().setOffline(true);
  scene.gateway.scripted.cut();
  await page.getByText("Trying again").waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Logs" }).click();
  await page.locator(".gate-reason").getByText("The gateway cannot be reached.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Logs", level: 1 }).waitFor();
  await close();
  await browser.close();
});

test("in Chinese the chat, its list and the settings have no English words of their own", async () => {
  const page = await scene.open({ width: 1280, locale: "zh-CN" });
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("已连接", { exact: true }).waitFor();
  const field = page.getByRole("textbox", { name: "消息" });
  await field.fill("list them");
  await field.press("Enter");
  await page.getByRole("article", { name: "助手" }).last().getByText("skip hidden folders").waitFor();
  await page.getByRole("button", { name: "管理主对话" }).waitFor();
  const words = await page.evaluate(() =>
    ["rail", "sidebar", "topbar", "composer", "status-line", "tool-status"].flatMap((name) =>
      [...document.querySelectorAll<HTMLElement>(`.${name}`)].flatMap((part) => [
        part.innerText,
        ...[...part.querySelectorAll("[aria-label], [title], [placeholder]")].flatMap((element) =>
          ["aria-label", "title", "placeholder"].map((attribute) => element.getAttribute(attribute) ?? ""),
        ),
      ]),
    ),
  );
  // Names, keys, formats of files, and the model.
  const names = /Factotum|English|Ctrl|Esc|Enter|Shift|PNG|JPEG|GIF|WebP|demo|scripted|next|tokens?/g;
  expect(
    words
      .join(" ")
      .replaceAll(names, "")
      .match(/[a-z]{3,}/gi),
  ).toBeNull();
  expect(await findViolations(page)).toEqual([]);
});

test("on a low window every page and the menu are in sight, and the rail keeps its width", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.setViewportSize({ width: 1280, height: 600 });
  const rail = page.getByRole("navigation", { name: "Pages" });
  const width = (): Promise<number> => rail.evaluate((element) => element.clientWidth);
  expect(await rail.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
  const before = await width();
  await rail.getByRole("link", { name: "Automations" }).click();
  await page.getByRole("heading", { name: "Automations", level: 1 }).waitFor();
  expect(await width()).toBe(before);
});
