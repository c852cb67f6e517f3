import { expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();
const SETTINGS = {
  mode: "ask",
  modes: [],
  model: "demo/demo",
  models: [{ reference: "demo/demo" }, { reference: "anthropic/claude", alias: "opus" }],
  thinking: "low",
  thinkingLevels: ["off", "low", "high"],
  commands: [],
};
const command = (name: string, words: readonly string[] = []) => ({
  name,
  aliases: [],
  type: "built-in",
  summary: `What ${name} does`,
  access: "anyone",
  words,
  ...(words.length > 0 && { hint: "[LEVEL]" }),
});

test.each(LOOKS)(
  "commands are completed by keyboard, and the model and its thinking are chosen, at $width px, dark: $dark",
  async (look) => {
    const chosen: unknown[] = [];
    let settings = SETTINGS;
    scene.gateway.scripted.intercept = ({ method, params }) => {
      if (method === "commands.list")
        return { answer: { commands: [command("status"), command("think", ["high", "low"]), command("trust")] } };
      if (method === "sessions.settings") return { answer: settings };
      if (method !== "sessions.choose") return "handle";
      chosen.push(params);
      return { answer: chosen.length === 1 ? SETTINGS : { ...SETTINGS, thinking: "high" } };
    };
    const page = await scene.openChat(look);
    const input = page.getByRole("textbox", { name: "Message" });
    // A conversation that exists.
    await input.fill("hello");
    await input.press("Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
    await page.keyboard.type("/t");
    const list = page.getByRole("listbox", { name: "Commands" });
    await expect.poll(() => list.getByRole("option").allInnerTexts()).toHaveLength(3);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    expect(await list.getByRole("option", { selected: true }).innerText()).toContain("/trust");
    expect(await input.getAttribute("aria-activedescendant")).toBe(await list.getByRole("option", { selected: true }).getAttribute("id"));
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    expect(await input.inputValue()).toBe("/think ");
    await page.keyboard.press("Enter");
    expect(await input.inputValue()).toBe("/think high");
    await list.waitFor({ state: "detached" });
    await input.fill("/s");
    await list.waitFor();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    expect(await input.inputValue()).toBe("/s");

    await page.getByRole("combobox", { name: "Model" }).selectOption("anthropic/claude");
    await page.getByRole("combobox", { name: "Thinking" }).selectOption("high");
    await expect.poll(() => chosen).toMatchObject([{ model: "anthropic/claude" }, { thinking: "high" }]);
    await expect.poll(() => page.getByRole("combobox", { name: "Thinking" }).inputValue()).toBe("high");
    settings = { ...SETTINGS, model: "anthropic/claude" };
    scene.gateway.scripted.broadcast("config-change", { type: "applied", changed: [], needsRestart: [], problems: [] });
    await expect.poll(() => page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("anthropic/claude");
    expect(await fits(page)).toBe(true);
  },
);
