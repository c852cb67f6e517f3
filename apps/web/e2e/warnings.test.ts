import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GatewayWarning } from "@factotum/protocol";
import { runCommand, startProduct } from "@factotum/testing-product";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

const BAD_FILE: GatewayWarning = {
  id: "config",
  level: "error",
  text: "/home/somebody/with/a/long/name/.factotum/factotum.json5 is not used, and what ran before goes on: agents.list: a list is expected.",
  fix: 'Repair it; it is used as soon as it is good. "factotum config validate" checks it.',
};
const AWAY: GatewayWarning = { id: "channel:feishu/default", level: "error", text: "feishu/default is not connected: no answer." };
const LITTLE_SPACE: GatewayWarning = { id: "storage", level: "warning", text: "The disk is nearly full. 32 MB cannot be kept." };

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("a warning is shown, read aloud, dismissible, and removed when its condition ends", async () => {
    scene.gateway.scripted.warnings = [BAD_FILE];
    const page = await scene.openChat(look);
    const place = page.getByRole("status", { name: "Gateway" });
    await place.getByText("is not used").waitFor();
    await place.getByText("factotum config validate").waitFor();
    const many = Array.from({ length: 9 }, (_, index): GatewayWarning => ({ ...AWAY, id: `channel:feishu/${index}` }));
    scene.gateway.scripted.warn([BAD_FILE, ...many, LITTLE_SPACE]);
    await place.getByText("nearly full").waitFor();
    expect(await findViolations(page)).toEqual([]);
    // It displaces nothing, and leaves room to write.
    const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
    expect(sizes.page).toBeLessThanOrEqual(sizes.window);
    const input = page.getByRole("textbox", { name: "Message" });
    await input.fill("hello");
    await input.press("Enter");
    await page.getByRole("article", { name: "Assistant" }).last().waitFor();

    scene.gateway.scripted.warn([BAD_FILE, LITTLE_SPACE]);
    await place.getByText("feishu").first().waitFor({ state: "detached" });
    const hide = place.getByRole("button", { name: /^Hide: The disk/ });
    await hide.focus();
    await page.keyboard.press("Enter");
    await place.getByText("nearly full").waitFor({ state: "detached" });
    // A dismissed warning stays dismissed until its text changes.
    scene.gateway.scripted.warn([LITTLE_SPACE]);
    await place.getByText("is not used").waitFor({ state: "detached" });
    expect(await place.textContent()).toBe("");
    scene.gateway.scripted.warn([{ ...LITTLE_SPACE, text: "The disk is nearly full. 8 MB cannot be kept." }]);
    await place.getByText("8 MB").waitFor();
    scene.gateway.scripted.warn([]);
    await place.getByText("8 MB").waitFor({ state: "detached" });
    scene.gateway.scripted.warn([LITTLE_SPACE]);
    await place.getByText("32 MB").waitFor();
  });
});

test("the built product explains why a bad configuration file is not used, until it is valid; and what to do about a changed token", async () => {
  await using product = await startProduct({ config: {} });
  const page = await scene.openChat({ width: 1280 }, { url: `${product.url}/`, token: product.token, close: async () => undefined });
  const place = page.getByRole("status", { name: "Gateway" });
  const file = join(product.home, "factotum.json5");
  await writeFile(file, `{ gateway: { port: "x" } }`);
  await place.getByText("is not used").waitFor();
  await place.getByText("gateway.port").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await writeFile(file, "{}");
  await place.getByText("is not used").waitFor({ state: "detached" });

  expect(await runCommand(["config", "set", "gateway.auth.token", "another-token"], product)).toMatchObject({ code: 0 });
  await page.getByRole("alert").filter({ hasText: "token has changed" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel("Token").fill("another-token");
  await page.keyboard.press("Enter");
  await page.getByText("Connected").waitFor();
});

test("the built product reports a restored database until that is acknowledged", async () => {
  await using first = await startProduct({ config: {} });
  expect(await runCommand(["agent", "--message", "hello"], { home: first.home })).toMatchObject({ code: 0 });
  await first.end("SIGTERM");
  await rm(join(first.home, "state", "factotum.sqlite"));
  await using second = await startProduct({ home: first.home });
  const page = await scene.openChat({ width: 1280 }, { url: `${second.url}/`, token: second.token, close: async () => undefined });
  const place = page.getByRole("status", { name: "Gateway" });
  await place.getByText("My database was missing.").waitFor();
  await place.getByText("factotum damage acknowledge").waitFor();
  expect(await runCommand(["damage", "acknowledge"], { home: first.home })).toMatchObject({ code: 0 });
  await place.getByText("My database was missing.").waitFor({ state: "detached" });
});
