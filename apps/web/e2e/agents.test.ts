import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { callTools, createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { useProductPage } from "./product-page.ts";

const scene = useProductPage(({ config }) => ({ config }));

const config = (): Promise<string> => readFile(join(scene.product.home, "factotum.json5"), "utf8");

test("an agent is added by keyboard, gets messages, loses them with a way back, becomes the default one, and is removed", async () => {
  const page = await scene.open({ width: 1280 }, "agents");
  await page.getByRole("button", { name: "Add an agent…" }).press("Enter");
  await page.keyboard.type("Clerk");
  await page.getByText("Only lower case letters").waitFor();
  await page.getByRole("textbox", { name: "Short name" }).fill("clerk");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("کاتب");
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByText("is added. Say below").waitFor();
  await page.getByRole("button", { name: "Add a binding…" }).click();
  await page.getByRole("combobox", { name: "Channel", exact: true }).fill("webchat");
  await page.getByRole("combobox", { name: "Conversations" }).selectOption("group");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const bindings = page.getByRole("list", { name: "Bindings" });
  await bindings.getByText("webchat · every group").first().waitFor();
  await bindings.getByRole("button", { name: "Remove webchat · every group" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await bindings.getByText("webchat · every group").first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Make default کاتب" }).click();
  await page.getByText("کاتب is the default agent.").waitFor();
  await page.getByRole("button", { name: "Make default main" }).click();
  await page.getByRole("button", { name: "Remove… کاتب" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("کاتب is removed.").waitFor();
  expect(await config()).not.toContain("clerk");
});

test("the sub-agents of all conversations are a live tree, in which they are steered and ended", async () => {
  const gate = createGate();
  scene.provider.server.respond(({ body }) => {
    const text = JSON.stringify(body?.["messages"]);
    const hasSpawned = text.includes('"role":"tool"');
    if (text.includes("- Task: Count")) return { ...sayText("There are three."), fault: { type: "slow-headers", until: gate } };
    if (text.includes("has ended")) return sayText("That is all.");
    return hasSpawned
      ? callTools({ name: "sessions_yield", arguments: {} })
      : callTools({ name: "sessions_spawn", arguments: { task: "Count the files.", label: "Count" } });
  });
  const page = await scene.open({ width: 360, dark: true, locale: "zh-CN" }, "chat/agent:main:main");
  await page.getByRole("textbox").first().fill("Look at the files");
  await page.keyboard.press("Enter");
  await page.locator(".subagent").first().waitFor();
  await page.goto(`${scene.product.url}/#/agents`);
  const row = page.locator(".subagent").filter({ hasText: "Count" });
  await row.getByText("运行中").waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  await row.getByRole("button", { name: /^引导/ }).click();
  await page.keyboard.type("Only the newest");
  await page.keyboard.press("Enter");
  await row.locator("output").waitFor();
  await row.getByRole("button", { name: /^停止/ }).click();
  await row.getByText("已停止").waitFor();
  gate.open();
});
