import { runCommand } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { cutOff } from "./cut-off.ts";
import { findViolations } from "./find-violations.ts";
import { useProductPage } from "./product-page.ts";
import type { Look } from "./scripted-page.ts";

/** Where the pictures of every page go. */
const PICTURES = process.env["FACTOTUM_PICTURES"] ?? fileURLToPath(new URL("../../../node_modules/.factotum/pictures", import.meta.url));

const PACKING = "- passport\n- charger\n";
const ANSWER = "I have written **packing.md**.\n\n| what | why |\n|---|---|\n| passport | border |\n| charger | train |";

const scene = useProductPage(({ server, config }) => {
  server.respond(({ body }) =>
    JSON.stringify(body).includes("passport")
      ? sayText(ANSWER)
      : callTools({ name: "write", arguments: { path: "packing.md", content: PACKING } }),
  );
  const defaults = { ...config.agents.defaults, heartbeat: { every: "1h" } };
  return { config: { ...config, agents: { defaults, list: [{ id: "main", name: "Robin", default: true }, { id: "clerk" }] } } };
});
beforeAll(async () => {
  await run("agent", "--message", "What do I need for two days in Basel? Write it into a file.");
  await run("cron", "add", "Weather", "--cron", "0 7 * * *", "--task", "Tell me the weather.", "--silent");
  await mkdir(join(scene.product.home, "workspace/memory"), { recursive: true });
  await writeFile(join(scene.product.home, "workspace/MEMORY.md"), "# Facts\n\n- Lives in Zurich.\n");
});

async function run(...command: string[]): Promise<void> {
  const { code, stderr } = await runCommand(command, scene.product);
  expect([code, stderr]).toEqual([0, expect.anything()]);
}

/** The page on the chat, connected, and the addresses of all pages: those that the navigation has. */
async function open(look: Look): Promise<{ readonly page: Page; readonly routes: readonly string[] }> {
  const page = await scene.open(look);
  const links = await page.locator("nav.rail a").evaluateAll((all: HTMLAnchorElement[]) => all.map(({ href }) => new URL(href).hash));
  return { page, routes: [...new Set(links)] };
}

/** Goes to a page and waits until nothing of it is on its way. */
async function show(page: Page, route: string): Promise<void> {
  await page.goto(`${scene.product.url}/${route}`);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForFunction(
    () => !/(?:Loading|正在加载|Waiting for the gateway|正在等待网关)/.test(document.querySelector("#content")?.textContent ?? ""),
  );
}

const nameOf = (route: string): string => route.split("/")[1] ?? "chat";

test.each([
  { width: 360, dark: true, locale: "en-GB" },
  { width: 768, dark: false, locale: "zh-CN" },
  { width: 1280, dark: false, locale: "en-GB" },
  { width: 1920, dark: true, locale: "zh-CN" },
])(
  "every page at $width px, dark: $dark, in $locale is within its width, cuts nothing off without a sign, and has no faults of access",
  async (look) => {
    const { page, routes } = await open(look);
    expect(routes.length).toBeGreaterThan(4);
    await mkdir(PICTURES, { recursive: true });
    for (const route of [...routes, "#/agent/main/skills", "#/agent/main/tools", "#/automations?tab=heartbeat"]) {
      await show(page, route);
      // Pages scroll below their bars: the window itself never does.
      const size = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight - window.innerHeight,
      ]);
      const faults = { violations: await findViolations(page), cutOff: await cutOff(page) };
      expect({ route, ...faults, size }).toEqual({ route, violations: [], cutOff: [], size: [look.width, 0] });
      await page.screenshot({ path: join(PICTURES, `${nameOf(route)}-${look.width}-${look.dark ? "dark" : "light"}.png`) });
    }
  },
);

test("every page is there again after the gateway was killed and started", async () => {
  const first = await open({ width: 1280 });
  const context = first.page.context();
  const pages: Page[] = [];
  for (const route of first.routes) {
    const page = await context.newPage();
    await show(page, route);
    pages.push(page);
  }
  const titles = await Promise.all(pages.map((page) => page.title()));
  await scene.product.end("SIGKILL");
  for (const page of pages) await page.locator(".connection.waiting").waitFor();
  await scene.restart();
  for (const [index, page] of pages.entries()) {
    await page.locator(".connection.connected").waitFor();
    await settled(page);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.title()).toBe(titles[index]);
  }
});
