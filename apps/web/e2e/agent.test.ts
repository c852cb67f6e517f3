import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callTools, sayText } from "@factotum/testing-providers";
import { runCommand } from "@factotum/testing-product";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { useProductPage } from "./product-page.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/todo-list", import.meta.url));
const HINTS = [1, 2, 3].map((number) => `hint ${number}\n`).join("");

const scene = useProductPage(({ config }) => {
  const mcp = fileURLToPath(new URL("../../factotum/e2e/mcp-list-server.ts", import.meta.url));
  return {
    config: {
      ...config,
      tools: { deny: ["apply_patch"] },
      mcp: { servers: { lists: { command: process.execPath, args: [mcp, "/dev/null"] } } },
    },
    env: { npm_config_offline: "true" },
  };
});
beforeAll(async () => {
  await mkdir(join(scene.product.home, "workspace"), { recursive: true });
  await writeFile(join(scene.product.home, "workspace/SOUL.md"), "Be calm.\n");
});

const soul = (): Promise<string> => readFile(join(scene.product.home, "workspace/SOUL.md"), "utf8");

const show = async (page: Page, route: string): Promise<unknown> => page.goto(`${scene.product.url}/#/${route}`);
const editor = (page: Page) => page.locator(".cm-content");

test("the character is edited by keyboard, keeps what it was, and gets it back, over a restart of the gateway", async () => {
  const page = await scene.open({ width: 1280 }, "agent");
  await page.getByRole("button", { name: /SOUL\.md.*2 tokens in every prompt/ }).waitFor();
  await editor(page).getByText("Be calm.").waitFor();
  await editor(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Be brief.");
  await page.getByText("Not saved yet.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  // The draft is kept while something else is shown, and while the gateway is away.
  await show(page, "overview");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await scene.product.end("SIGKILL");
  await scene.restart();
  await show(page, "agent/main/persona");
  await page.locator(".connection.connected").waitFor();
  await editor(page).getByText("Be brief.").waitFor();
  await editor(page).focus();
  await page.keyboard.press("Control+s");
  await page.getByText("SOUL.md is saved.").waitFor();
  expect(await soul()).toBe("Be calm.\nBe brief.");
  await page.getByRole("button", { name: "History" }).press("Enter");
  await page.locator("del", { hasText: "Be brief." }).waitFor();
  await page.getByRole("button", { name: "Restore" }).press("Enter");
  await expect.poll(soul).toBe("Be calm.\n");
});

test("what is changed on the disk, by a command, or in another tab, is shown soon, also after the folder was removed", async () => {
  const page = await scene.open({ width: 1280 }, "agent/main/persona");
  const other = await scene.open({ width: 1280 }, "agent/main/knowledge");
  const workspace = join(scene.product.home, "workspace");
  // It takes less than a second on an idle machine.
  const soon = { timeout: 5000 };
  await editor(page).getByText("Be calm.").waitFor();
  await other.getByText("Drop files here").waitFor();
  await writeFile(join(workspace, "SOUL.md"), "By hand.\n");
  await editor(page).getByText("By hand.").waitFor(soon);
  await mkdir(join(workspace, "knowledge"), { recursive: true });
  await writeFile(join(workspace, "knowledge/list.txt"), "eggs");
  await other.getByText("list.txt").waitFor(soon);
  await rm(join(workspace, "knowledge"), { recursive: true });
  await other.getByText("list.txt").waitFor({ state: "detached", ...soon });
  await mkdir(join(workspace, "knowledge"));
  await writeFile(join(workspace, "knowledge/other.txt"), "milk");
  await other.getByText("other.txt").waitFor(soon);
  await rm(join(workspace, "knowledge"), { recursive: true });

  await writeFile(join(scene.product.home, "calm.md"), "Be calm.\n");
  const { code } = await runCommand(["files", "write", "SOUL.md", join(scene.product.home, "calm.md")], scene.product);
  expect(code).toBe(0);
  await editor(page).getByText("Be calm.").waitFor(soon);
});

test("a text that was changed elsewhere meanwhile is not overwritten without a question", async () => {
  const page = await scene.open({ width: 1280 }, "agent/main/persona");
  await editor(page).getByText("Be calm.").waitFor();
  await editor(page).focus();
  await page.keyboard.type("Mine. ");
  await writeFile(join(scene.product.home, "workspace/SOUL.md"), "Theirs.\n");
  await page.getByText("The text was changed elsewhere meanwhile.").waitFor();
  expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  expect(await soul()).toBe("Theirs.\n");
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep mine" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(soul).toBe("Mine. Be calm.\n");
});

test("a dropped file is read by the agent; one of the same name gets a number; a removed one is gone", async () => {
  const page = await scene.open({ width: 360 }, "agent/main/knowledge");
  const drop = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "prices.txt", { type: "text/plain" }));
    return data;
  }, HINTS);
  await page.getByText("Drop files here").dispatchEvent("drop", { dataTransfer: drop });
  await page.getByText("prices.txt: added").waitFor();
  await page.locator('input[type="file"]').setInputFiles({ name: "prices.txt", mimeType: "text/plain", buffer: Buffer.from("other") });
  await page.getByText("added as prices (2).txt").waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  await page.getByRole("button", { name: "Remove… prices (2).txt" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("prices (2).txt is removed.").waitFor();
  scene.provider.server.respond(({ body }) =>
    JSON.stringify(body).includes("hint 3")
      ? sayText("The third hint is there.")
      : callTools({ name: "read", arguments: { path: "knowledge/prices.txt" } }),
  );
  await show(page, "chat/agent:main:main");
  await page.getByRole("textbox", { name: "Message" }).fill("What do the prices say?");
  await page.keyboard.press("Enter");
  await page.getByText("The third hint is there.", { exact: true }).waitFor();
});

test("a denied tool names the rule that denies it; a server is reached again; a skill is switched off and on", async () => {
  const page = await scene.open({ width: 1280 }, "agent/main/tools");
  await page.getByRole("searchbox", { name: "Find a tool" }).fill("apply");
  await page.getByRole("row", { name: /apply_patch.*Denied/ }).waitFor();
  await page.getByRole("button", { name: "Why? apply_patch" }).click();
  const why = page.getByRole("dialog", { name: "Why apply_patch?" });
  await why.getByText("“apply_patch” is in its list of denied tools").waitFor();
  expect(await why.getByRole("link", { name: "tools", exact: true }).getAttribute("href")).toContain("configuration");
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Tools" }).press("ArrowRight");
  await page.getByRole("heading", { name: "lists" }).waitFor();
  await page.getByRole("button", { name: "Reconnect lists" }).click();
  await page.getByText("It does not work:").waitFor();
  await show(page, "agent/main/skills");
  await page.getByRole("button", { name: "Switch off weather" }).click();
  await page.getByRole("button", { name: "Switch on weather" }).click();
  await page.getByRole("button", { name: "Switch off weather" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test("a package is looked at, installed, switched off and removed, in Chinese too", async () => {
  const page = await scene.open({ width: 1280 }, "agent/main/plugins");
  await page.getByText("No packages yet.").waitFor();
  await page.getByRole("button", { name: "Install…" }).click();
  await page.getByRole("textbox", { name: "Source" }).fill(EXAMPLE);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Install a package" });
  await dialog.getByText("tools add, list").waitFor();
  await dialog.getByText("It asks for no permission.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Install", exact: true }).click();
  await page.getByText("todo-list 1.0.0 is installed.").waitFor();
  await page.getByRole("button", { name: "Switch off todo-list" }).click();
  await page.getByText("todo-list is off.").waitFor();
  await page.getByRole("button", { name: "Switch on todo-list" }).waitFor();
  const chinese = await scene.open({ width: 360, locale: "zh-CN" }, "agent/main/plugins");
  await chinese.getByRole("button", { name: "删除… todo-list" }).click();
  await chinese.getByRole("button", { name: "删除", exact: true }).click();
  await chinese.getByText("还没有插件。").waitFor();
  expect(await findViolations(chinese)).toEqual([]);
});
