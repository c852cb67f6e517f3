import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProduct } from "@factotum/testing-product";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeLoginExtension } from "../test/login-extension.ts";
import { findViolations } from "./find-violations.ts";
import { type Look, LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

async function openSettings(look: Look, { url, token }: { readonly url: string; readonly token: string }): Promise<Page> {
  const page = await scene.openChat(look, { url: `${url}/`, token, close: async () => undefined });
  await page.getByRole("button", { name: "Setup" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Stay with the demo/ })
    .waitFor();
  return page;
}

test.each(LOOKS.slice(1, 3))("a channel of the built product is logged in by its steps ($width px, dark: $dark)", async (look) => {
  const home = await mkdtemp(join(tmpdir(), "factotum-login-"));
  await writeLoginExtension(home);
  await using product = await startProduct({ home, config: { channels: { lantern: {} } } });
  const page = await openSettings(look, product);
  const place = page.getByRole("dialog");
  await place.getByRole("button", { name: /^Log in to/ }).waitFor();
  // WebChat has no login.
  expect(await place.getByRole("button", { name: /^Log in to/ }).allTextContents()).toEqual(["Log in to lantern/default"]);
  await place.getByRole("button", { name: "Log in to lantern/default" }).click();

  await place.getByText("Open Lantern on your phone.").waitFor();
  await place.getByRole("img", { name: "QR code" }).waitFor();
  await place.getByText("Scan this code.").waitFor();
  await place.getByLabel("Code on your phone").waitFor();
  expect(await place.getByRole("link").allTextContents()).toEqual(["https://lantern.example/help"]);
  await place.getByText("javascript:alert(1)").waitFor();
  expect(await findViolations(page)).toEqual([]);
  const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
  expect(sizes.page).toBeLessThanOrEqual(sizes.window);

  // A question takes the focus.
  await page.keyboard.type("9999");
  await page.keyboard.press("Enter");
  await place.getByRole("alert").filter({ hasText: "ended without being completed" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await place.getByRole("button", { name: "Begin again" }).click();
  await place.getByLabel("Code on your phone").fill("1234");
  await page.keyboard.press("Enter");
  await place.getByText("Logged in as Lamp.").waitFor();
  expect(await place.getByRole("img", { name: "QR code" }).count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await page.getByText("lantern/default is not connected").waitFor({ state: "detached" });
  await place.getByRole("button", { name: "Back to the setup" }).click();
  await place.getByRole("button", { name: "Log in to lantern/default" }).waitFor();
});

test("a closed dialog ends the login in the gateway", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-login-"));
  await writeLoginExtension(home);
  await using product = await startProduct({ home, config: { channels: { lantern: {} } } });
  const page = await scene.open({ width: 1280 });
  const cancelled = Promise.withResolvers<void>();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (payload.toString().includes('"cancelled":true')) cancelled.resolve();
    }),
  );
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Setup" }).click();
  await page.getByRole("button", { name: "Log in to lantern/default" }).click();
  await page.getByLabel("Code on your phone").waitFor();
  await page.keyboard.press("Escape");
  await cancelled.promise;
});

test("the settings show no login if no channel declares one", async () => {
  await using product = await startProduct({ config: {} });
  const page = await scene.open({ width: 1280 });
  const answered = Promise.withResolvers<void>();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (payload.toString().includes('"capabilities"')) answered.resolve();
    }),
  );
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Setup" }).click();
  await answered.promise;
  // The answer is drawn by the frame after the next one at the latest.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Stay with the demo/ })
    .waitFor();
  expect(await page.getByRole("dialog").getByText("Channels", { exact: true }).count()).toBe(0);
});
