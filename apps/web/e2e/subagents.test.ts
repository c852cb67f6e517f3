import { startProduct } from "@factotum/testing-product";
import { callTools, createGate, sayText, type Gate } from "@factotum/testing-providers";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { startProvider, type TestProvider } from "./start-provider.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const YIELD = callTools({ name: "sessions_yield", arguments: {} });

/** A conversation hands out two tasks, and the first of them a third one. The second and the third are answered when their gate opens. */
function answerTree({ server }: TestProvider, gates: { readonly count: Gate; readonly dates: Gate }): void {
  server.respond(({ body }) => {
    const text = JSON.stringify(body?.["messages"]);
    const results = text.split('"role":"tool"').length - 1;
    const task = /- Task: (\w+)/.exec(text)?.[1];
    switch (task) {
      case "Compare":
        if (text.includes("Only the newest")) return sayText("I look at the newest only.");
        return results === 0 ? callTools({ name: "sessions_spawn", arguments: { task: "Read the dates." } }) : YIELD;
      case "Count":
        return { ...sayText("There are three."), fault: { type: "slow-headers", until: gates.count } };
      case "Read":
        return { ...sayText("In May."), fault: { type: "slow-headers", until: gates.dates } };
      default:
        if (text.includes("has ended")) return sayText("That is all.");
        if (results > 0) return YIELD;
        return callTools(
          { name: "sessions_spawn", arguments: { task: "Compare the logs.", label: "Compare" } },
          { name: "sessions_spawn", arguments: { task: "Count the files." } },
        );
    }
  });
}

function rowOf(page: Page, name: string): Locator {
  return page.locator(".subagent").filter({ has: page.getByRole("button", { name, exact: true }) });
}

async function expectState(page: Page, name: string, state: string): Promise<void> {
  await rowOf(page, name).locator(".subagent-state", { hasText: state }).waitFor();
}

test("the tree of sub-agents is live, survives reloads and a restart, and each is opened, steered and stopped", async () => {
  const gates = { count: createGate(), dates: createGate() };
  await using provider = await startProvider();
  answerTree(provider, gates);
  const config = { ...provider.config, agents: { defaults: { ...provider.config.agents.defaults, subagents: { maxDepth: 2 } } } };
  const first = await startProduct({ config });
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await page.goto(`${first.url}/#token=${first.token}`);
  await page.getByRole("textbox", { name: "Message" }).fill("Look at the logs");
  await page.keyboard.press("Enter");

  await expectState(page, "Compare", "Running");
  await expectState(page, "Count the files.", "Running");
  await expectState(page, "Read the dates.", "Running");
  // Nested below the one that has started it, in the turn that has started both.
  const list = page.getByRole("list", { name: "Sub-agents", exact: true });
  expect(await list.count()).toBe(1);
  const below = page.getByRole("list", { name: "Sub-agents of Compare" });
  await below.getByText("Depth 2").waitFor();
  await below.getByText("m", { exact: true }).waitFor();
  await rowOf(page, "Compare").getByText("Waits for its sub-agents").waitFor();
  await rowOf(page, "Compare").getByText("tokens").waitFor();
  const age = rowOf(page, "Compare").locator(".subagent-age");
  const before = await age.textContent();
  await expect.poll(() => age.textContent()).not.toBe(before);
  expect(await findViolations(page)).toEqual([]);

  gates.count.open();
  await expectState(page, "Count the files.", "Done");
  await rowOf(page, "Count the files.").getByText("There are three.").waitFor();
  await page.getByText("Sub-agent done: Count the files.").waitFor({ state: "attached" });
  expect(await rowOf(page, "Count the files.").getByRole("button", { name: /^Stop/ }).count()).toBe(0);
  await page.reload();
  await expectState(page, "Count the files.", "Done");
  await expectState(page, "Read the dates.", "Running");
  // They are in the tree, and not among the conversations.
  expect(
    await page
      .getByRole("navigation", { name: "Conversations" })
      .getByRole("button", { name: /Manage/ })
      .count(),
  ).toBe(1);

  await page.getByRole("button", { name: "Compare", exact: true }).press("Enter");
  await page.getByRole("heading", { name: "Compare" }).waitFor();
  const field = page.getByRole("textbox", { name: "Message to the sub-agent" });
  await field.waitFor();
  const address = page.url();
  expect(address).toMatch(/#\/chat\/agent:main:subagent:[0-9a-f-]+$/);
  await page.reload();
  await expectState(page, "Read the dates.", "Running");
  await field.fill("Only the newest");
  await field.press("Enter");
  await page.getByText("I look at the newest only.", { exact: true }).waitFor();
  expect(await page.locator(".bubble").allTextContents()).toEqual(["Compare the logs.", "Only the newest"]);
  expect(await field.inputValue()).toBe("");
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Back to Main" }).click();
  await expectState(page, "Compare", "Running");

  await first.end("SIGKILL");
  await page.getByText("Connected", { exact: true }).waitFor({ state: "detached" });
  const { home } = first;
  await using second = await startProduct({ config, home, port: Number(new URL(first.url).port) });
  expect(second.url).toBe(first.url);
  await page.getByText("Connected", { exact: true }).waitFor();
  await expectState(page, "Read the dates.", "Running");
  await rowOf(page, "Compare").getByText("I look at the newest only.").waitFor();

  const stale = await openPage(browser, { width: 360, dark: true });
  await stale.page.goto(`${second.url}/#token=${second.token}`);
  await rowOf(stale.page, "Compare").getByRole("button", { name: "Steer" }).click();
  await stale.page.getByRole("textbox", { name: "Message to Compare" }).waitFor();
  expect(await findViolations(stale.page)).toEqual([]);
  const sizes = await stale.page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
  expect(sizes.page).toBeLessThanOrEqual(sizes.window);
  await page.getByRole("button", { name: "Stop Compare and its sub-agents" }).click();
  for (const each of [page, stale.page]) for (const name of ["Compare", "Read the dates."]) await expectState(each, name, "Stopped");
  expect(await stale.page.getByRole("textbox", { name: "Message to Compare" }).count()).toBe(0);
  gates.dates.open();
  // Both results are handed over together, once, although the gateway was killed between them.
  await page.getByText("That is all.", { exact: true }).waitFor();
  await page.goto(address);
  await page.getByText("This sub-agent has ended: stopped.").waitFor();
  expect(await field.count()).toBe(0);
  await page.goto(`${address}0`);
  await page.getByText("is no longer kept").waitFor();
  expect([...complaints, ...stale.complaints]).toEqual([]);
  await stale.close();
  await close();
});
