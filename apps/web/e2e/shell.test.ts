import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("the pages are reached by their links and by the browser's buttons, and each has its own address", async () => {
    const page = await scene.openChat(look);
    expect(new URL(page.url()).hash).toBe("#/chat/agent:main:main");
    const pages = page.getByRole("navigation", { name: "Pages" });
    await pages.getByRole("link", { name: "Context" }).click();
    await page.getByText("What the model was given").waitFor();
    expect(new URL(page.url()).hash).toBe("#/context/agent:main:main");
    expect(await pages.getByRole("link", { name: "Context" }).getAttribute("aria-current")).toBe("page");
    expect(await findViolations(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.goForward();
    await page.getByText("What the model was given").waitFor();
    await pages.getByRole("link", { name: "Chat" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.goto(`${scene.gateway.url}#/nowhere`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});

test("addresses of versions without routes lead where they led", async () => {
  const page = await scene.openChat({ width: 1280 });
  await page.goto(`${scene.gateway.url}#session=agent:main:main&view=context`);
  await page.getByText("What the model was given").waitFor();
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
  await page.getByText("What the model was given").waitFor();
  await page.getByRole("link", { name: "Go to the content" }).press("Enter");
  expect(await focused()).toBe("content");
  expect(new URL(page.url()).hash).toBe("#/context/agent:main:main");
});
