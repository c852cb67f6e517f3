import { FakeIrc } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { useScriptedPage } from "./scripted-page.ts";
import { startProvider } from "./start-provider.ts";

const scene = useScriptedPage();

test("strangers of the built product appear live at every size: the approved one is answered, the rejected one is not", async () => {
  await using irc = await FakeIrc.start({ accounts: { factotum: "secret" }, flood: { penaltyMs: 0, maxMs: 1 } });
  const [bob, eve] = [irc.addUser("Bob", { account: "bob" }), irc.addUser("Eve", { account: "eve" })];
  await using provider = await startProvider();
  provider.server.respond(() => sayText("Good day, Bob."));
  const sasl = { account: "factotum", password: "secret" };
  // Without the network's limit of lines, most of the test would be waiting.
  const flood = { burst: 100, intervalMs: 0 };
  const account = { host: "127.0.0.1", port: irc.port, tls: false, nick: "factotum", sasl, channels: ["#team"], flood };
  const config = { ...provider.config, commands: { ownerAllowFrom: ["irc:account:olga"] }, channels: { irc: account } };
  await using product = await startProduct({ config });
  await irc.until(() => irc.channel("#team").clients.size === 1);
  const gateway = { url: `${product.url}/`, token: product.token, close: async () => undefined };
  // The other looks differ in nothing that this adds.
  const [wide, narrow] = [await scene.openChat({ width: 1280 }, gateway), await scene.openChat({ width: 360, dark: true }, gateway)];
  const pages = [wide, narrow].map((page) => ({ page, place: page.getByRole("status", { name: "Gateway" }) }));

  irc.say(bob, "factotum", "hello");
  irc.say(eve, "factotum", "hello");
  await irc.until(() => irc.messages.some(({ target }) => target === "Eve"));
  for (const { page, place } of pages) {
    await place.getByText(/account:bob.* asks to write to irc\/default/).waitFor();
    await place.getByText(/account:eve.* asks to write/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
    expect(sizes.page).toBeLessThanOrEqual(sizes.window);
  }

  await narrow.getByRole("button", { name: /^Approve: account:bob/ }).focus();
  await narrow.keyboard.press("Enter");
  for (const { place } of pages) await place.getByText("account:bob").waitFor({ state: "detached" });
  expect(provider.server.requests.filter(({ method }) => method === "POST")).toEqual([]);
  irc.say(bob, "factotum", "hello again");
  await irc.until(() => irc.messages.some(({ target, text }) => target === "Bob" && text === "Good day, Bob."));

  await wide.getByRole("button", { name: /^Reject: account:eve/ }).click();
  for (const { page, place } of pages) {
    await place.getByText("account:eve").waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
  }
  const told = irc.messages.filter(({ target }) => target === "Eve").length;
  irc.say(eve, "factotum", "hello again");
  irc.say(bob, "factotum", "still there?");
  await irc.until(() => irc.messages.filter(({ text }) => text === "Good day, Bob.").length === 2);
  expect(irc.messages.filter(({ target }) => target === "Eve")).toHaveLength(told);
  for (const { place } of pages) expect(await place.textContent()).toBe("");
});
