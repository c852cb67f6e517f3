import { FakeIrc } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";
import { startProvider } from "./start-provider.ts";

const scene = useScriptedPage();

// The other looks differ in nothing that this adds.
describe.each(LOOKS.slice(1, 3))("$width px, dark: $dark", (look) => {
  test("strangers of the built product appear live: the approved one is answered, the rejected one is not", async () => {
    await using irc = await FakeIrc.start({ accounts: { factotum: "secret" } });
    const [bob, eve] = [irc.addUser("Bob", { account: "bob" }), irc.addUser("Eve", { account: "eve" })];
    await using provider = await startProvider();
    provider.server.respond(() => sayText("Good day, Bob."));
    const sasl = { account: "factotum", password: "secret" };
    const account = { host: "127.0.0.1", port: irc.port, tls: false, nick: "factotum", sasl, channels: ["#team"] };
    const config = { ...provider.config, commands: { ownerAllowFrom: ["irc:account:olga"] }, channels: { irc: account } };
    await using product = await startProduct({ config });
    await irc.until(() => irc.channel("#team").clients.size === 1);
    const page = await scene.openChat(look, { url: `${product.url}/`, token: product.token, close: async () => undefined });
    const place = page.getByRole("status", { name: "Gateway" });

    irc.say(bob, "factotum", "hello");
    await place.getByText(/account:bob.* asks to write to irc\/default/).waitFor();
    irc.say(eve, "factotum", "hello");
    await place.getByText(/account:eve.* asks to write/).waitFor();
    await irc.until(() => irc.messages.some(({ target }) => target === "Eve"));
    expect(await findViolations(page)).toEqual([]);
    const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
    expect(sizes.page).toBeLessThanOrEqual(sizes.window);

    await place.getByRole("button", { name: /^Approve: account:bob/ }).focus();
    await page.keyboard.press("Enter");
    await place.getByText("account:bob").waitFor({ state: "detached" });
    expect(provider.server.requests.filter(({ method }) => method === "POST")).toEqual([]);
    irc.say(bob, "factotum", "hello again");
    await irc.until(() => irc.messages.some(({ target, text }) => target === "Bob" && text === "Good day, Bob."));

    await place.getByRole("button", { name: /^Reject: account:eve/ }).click();
    await place.getByText("account:eve").waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
    const told = irc.messages.filter(({ target }) => target === "Eve").length;
    irc.say(eve, "factotum", "hello again");
    irc.say(bob, "factotum", "still there?");
    await irc.until(() => irc.messages.filter(({ text }) => text === "Good day, Bob.").length === 2);
    expect(irc.messages.filter(({ target }) => target === "Eve")).toHaveLength(told);
    expect(await place.textContent()).toBe("");
  });
});
