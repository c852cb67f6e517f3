import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startProduct } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { startProvider } from "./start-provider.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("an earlier turn is undone by itself, below its answer, and stands there after a reload", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 360 });
  await using provider = await startProvider();
  await using product = await startProduct({ config: provider.config });
  const file = (name: string): string => join(product.home, "workspace", name);
  provider.server.respond(({ body }) => {
    const newest = (body?.["messages"] as readonly { readonly role: string; readonly content?: unknown }[] | undefined)?.at(-1);
    const [, name] = /write (\w+\.txt)/.exec(JSON.stringify(newest?.content ?? "")) ?? [];
    return newest?.role === "tool" || name === undefined
      ? sayText("Written.")
      : callTools({ name: "write", arguments: { path: name, content: "its own" } });
  });
  await page.goto(`${product.url}/#token=${product.token}`);
  const undo = (name: string) => page.getByRole("button", { name: `Undo the change of ${name}`, exact: true });
  for (const name of ["one.txt", "two.txt"]) {
    await page.getByRole("textbox", { name: "Message" }).fill(`write ${name}`);
    await page.keyboard.press("Enter");
    await undo(name).waitFor();
  }
  await page.reload();
  await undo("two.txt").waitFor();
  const first = page.getByRole("article", { name: "Assistant" }).first();
  await first.getByRole("button", { name: "Undo the change of one.txt" }).click();
  await page.locator(".notice", { hasText: "Deleted, because I had created it: one.txt" }).waitFor();
  await expect.poll(() => undo("one.txt").count()).toBe(0);
  const asked = page.getByRole("article", { name: "You" }).last();
  expect(await asked.locator(".bubble").innerText()).toBe("Undo the changes of an earlier answer");
  expect(await asked.getByRole("button", { name: "Edit" }).count()).toBe(0);
  expect(await readFile(file("two.txt"), "utf8")).toBe("its own");
  expect(await undo("two.txt").count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test("the files of the newest turn are given back by a button, and by force where something else changed them", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 360 });
  await using provider = await startProvider();
  await using product = await startProduct({ config: provider.config });
  const notes = join(product.home, "workspace", "notes.txt");
  await mkdir(dirname(notes), { recursive: true });
  await writeFile(notes, "mine");
  provider.server.respond(({ body }) => {
    const newest = (body?.["messages"] as readonly { readonly role: string }[] | undefined)?.at(-1);
    return newest?.role === "tool"
      ? sayText("Written.")
      : callTools({ name: "write", arguments: { path: "notes.txt", content: "its own" } });
  });
  await page.goto(`${product.url}/#token=${product.token}`);
  const say = async (text: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
  };
  const undo = page.getByRole("button", { name: "Undo the change of notes.txt", exact: true });

  await say("write it");
  await undo.waitFor();
  expect(await readFile(notes, "utf8")).toBe("its own");
  expect(await findViolations(page)).toEqual([]);
  await undo.click();
  await page.locator(".notice", { hasText: "notes.txt" }).waitFor();
  expect(await readFile(notes, "utf8")).toBe("mine");
  expect(await undo.count()).toBe(0);

  await say("write it again");
  await undo.waitFor();
  await writeFile(notes, "mine again");
  await undo.click();
  const force = page.getByRole("button", { name: "Undo the change of notes.txt all the same" });
  await force.waitFor();
  expect(await readFile(notes, "utf8")).toBe("mine again");
  // What is offered is known after a reload, too.
  await page.reload();
  await force.click();
  await page.locator(".notice", { hasText: "notes.txt" }).nth(2).waitFor();
  expect(await readFile(notes, "utf8")).toBe("mine");
  expect(await force.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});
