import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, runCommand } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { button } from "./named.ts";
import { useProductPage } from "./product-page.ts";
import type { Look } from "./scripted-page.ts";

const BEFORE = "# Facts\n\n- Lives in Basel.\n- Likes oolong.\n";
const AFTER = "# Facts\n\n- Lives in Zürich.\n- Likes oolong.\n";

const scene = useProductPage(async ({ server, config }) => {
  let answers = 0;
  server.respond(() =>
    (answers += 1) === 1 ? callTools({ name: "write", arguments: { path: "MEMORY.md", content: AFTER } }) : sayText("Noted."),
  );
  // A restart starts at the port of the configuration.
  const port = await freePort();
  return { config: { ...config, gateway: { port } }, port };
});
beforeAll(async () => {
  await mkdir(join(scene.product.home, "workspace/memory"), { recursive: true });
  await writeFile(file("MEMORY.md"), BEFORE);
  await writeFile(file("memory/2026-01-02.md"), "- The boiler was serviced.\n");
});
afterAll(() => runCommand(["gateway", "stop"], scene.product));

const file = (path: string): string => join(scene.product.home, "workspace", path);
const read = (path: string): Promise<string> => readFile(file(path), "utf8");

const open = (look: Look, route = "memory") => scene.open(look, route);
const editor = (page: Page, path: string) => page.getByRole("textbox", { name: `Text of ${path}` });
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });

/** Replaces the whole text of the editor by keyboard. */
async function type(page: Page, path: string, text: string): Promise<void> {
  await page.locator(".cm-content").waitFor();
  await editor(page, path).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

test("a note follows the assistant's change, and is edited, compared and restored by keyboard", async () => {
  const page = await open({ width: 1280 });
  await page.getByRole("link", { name: "MEMORY.md" }).press("Enter");
  await page.getByText("Lives in Basel.").waitFor();
  await runCommand(["agent", "--message", "I live in Zürich now."], scene.product);
  await page.getByText("Lives in Zürich.").waitFor();
  await tab(page, "Where it comes from").click();
  await page.getByRole("listitem").filter({ hasText: "Lives in Zürich." }).getByText("by the assistant").waitFor();
  await page.getByRole("listitem").filter({ hasText: "Likes oolong." }).getByText("by hand").waitFor();
  expect(await findViolations(page)).toEqual([]);

  await tab(page, "Where it comes from").press("ArrowLeft");
  await type(page, "MEMORY.md", "# Facts\n\n- Lives in Bern.\n");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved. What the note held is among its versions.").waitFor();
  expect(await read("MEMORY.md")).toBe("# Facts\n\n- Lives in Bern.\n");
  await tab(page, "Text").press("End");
  const newest = page.getByRole("tabpanel").getByRole("listitem").first();
  await newest.getByRole("button", { name: "Show the differences" }).press("Enter");
  await newest.locator("del", { hasText: "Lives in Bern." }).waitFor();
  expect(await newest.locator("ins").allInnerTexts()).toContain("- Likes oolong.");
  expect(await findViolations(page)).toEqual([]);
  await newest.getByRole("button", { name: "Restore" }).press("Enter");
  await page.getByText("MEMORY.md is as it was.").waitFor();
  expect(await read("MEMORY.md")).toBe(AFTER);
});

test("another change is never overwritten unseen, and unsaved text stays while something else is shown", async () => {
  const page = await open({ width: 360 }, "memory?note=memory/2026-01-02.md");
  const path = "memory/2026-01-02.md";
  await type(page, path, "- The boiler is new.\n");
  await writeFile(file(path), "- The boiler is old.\n");
  await page.getByRole("alert").filter({ hasText: "The text was changed elsewhere meanwhile." }).waitFor();
  expect(await button(page, "Save").isDisabled()).toBe(true);
  expect(await read(path)).toBe("- The boiler is old.\n");
  expect(await page.getByRole("alert").locator("del").allInnerTexts()).toEqual(["- The boiler is old."]);
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await page.getByRole("link", { name: "All notes" }).click();
  await page.getByRole("link", { name: path }).click();
  await editor(page, path).getByText("- The boiler is new.").waitFor();
  await button(page, "Keep mine").press("Enter");
  await button(page, "Save").press("Enter");
  await page.getByText("Saved.", { exact: false }).waitFor();
  expect(await read(path)).toBe("- The boiler is new.\n");
});

test("notes are made, found and removed with a way back, in Chinese at 360 px, through a kill of the gateway", async () => {
  const page = await open({ width: 360, dark: true, locale: "zh-CN" });
  await page.getByRole("heading", { name: "记忆", level: 1 }).waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await page.getByRole("button", { name: "新建笔记" }).press("Enter");
  await page.getByLabel("笔记名称").fill("茶");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "memory/茶.md", level: 1 }).waitFor();
  expect(await read("memory/茶.md")).toBe("# 茶\n");
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await scene.product.end("SIGKILL");
  await page.getByText("已连接", { exact: true }).waitFor({ state: "detached" });
  await scene.restart();
  await page.getByText("已连接", { exact: true }).waitFor();
  await page.getByRole("button", { name: "删除笔记" }).click();
  await page.getByRole("button", { name: "撤销" }).click();
  await page.getByRole("link", { name: "memory/茶.md" }).waitFor();
  expect(await read("memory/茶.md")).toBe("# 茶\n");
  await page.getByRole("searchbox").fill("boiler");
  await page.keyboard.press("Enter");
  await page.getByRole("listitem").filter({ hasText: "The boiler is new." }).waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);

  // What cannot be taken back now is said, and is among the notes that are gone.
  await page.getByRole("searchbox").fill("");
  await page.getByRole("link", { name: "memory/茶.md" }).click();
  await page.getByRole("button", { name: "删除笔记" }).click();
  await page.getByRole("button", { name: "撤销" }).waitFor();
  await scene.product.end("SIGKILL");
  await page.getByText("已连接", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "撤销" }).click();
  await page.getByText("没有连接到网关。").waitFor();
  await scene.restart();
});

test("what would be forgotten is shown first, and is gone after a question and a restart under the page", async () => {
  await writeFile(file("memory/birds.md"), "- a canarybird\n- a blackbird\n");
  expect(await runCommand(["agents", "add", "clerk"], scene.product)).toMatchObject({ code: 0 });
  await runCommand(["agent", "--session", "agent:clerk:main", "--message", "Hello."], scene.product);
  const page = await open({ width: 1280, dark: true }, "memory?tab=forget");
  // Also a conversation of an agent that the list next to the chat does not show.
  await page.getByRole("radio", { name: "A conversation" }).press("Space");
  await expect.poll(() => page.locator('optgroup[label="clerk"] option').allInnerTexts()).toEqual(["Main"]);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("radio", { name: "A text" }).press("Space");
  await page.getByRole("textbox", { name: "Text" }).fill("CanaryBird");
  await button(page, "Show what would go").press("Enter");
  await page.getByRole("listitem").filter({ hasText: "memory/birds.md: 1 line" }).waitFor();
  expect(await read("memory/birds.md")).toContain("canarybird");
  expect(await findViolations(page)).toEqual([]);
  await button(page, "Forget all of this…").press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Forget and restart" }).press("Enter");
  await page.getByText("The gateway restarts and forgets it.", { exact: false }).waitFor();
  await page.getByText("Connected", { exact: true }).waitFor({ state: "detached" });
  await page.getByText("Connected", { exact: true }).waitFor({ timeout: 60_000 });
  await tab(page, "Notes").click();
  await page.getByRole("link", { name: "memory/birds.md" }).click();
  await page.getByText("a blackbird").waitFor();
  expect(await read("memory/birds.md")).toBe("- a blackbird\n");
});
