import { createGate, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { openTerminal } from "./open-terminal.ts";

const CTRL_C = "\u0003";

test("at a terminal an answer appears as it is written, and Ctrl-C stops the run in the gateway", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const rest = createGate();
  model.script([
    {
      ...sayText(`The first half is here. ${"And on. ".repeat(100)}The second half comes later.`),
      fault: { type: "stall", afterBytes: 1500, until: rest },
    },
    { ...sayText(`This one never ends. ${"And on. ".repeat(100)}`), fault: { type: "stall", afterBytes: 1500 } },
    sayText("And this is the next answer."),
  ]);
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    },
  });
  {
    await using terminal = openTerminal(["agent", "--session", "main", "-m", "hello"], { home: product.home });
    await terminal.waitFor(/The first half is here\./);
    expect(terminal.shown()).not.toContain("second half");
    rest.open();
    await terminal.waitFor(/comes\s+later\./);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown().match(/The first half/g)).toHaveLength(1);
  }
  {
    await using terminal = openTerminal(["agent", "-m", "and now?"], { home: product.home });
    await terminal.waitFor(/This/);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown()).toContain("factotum: stopped");
  }
  const { stdout } = await runCommand(["status", "--json"], { home: product.home });
  expect(JSON.parse(stdout)).toMatchObject({ sessions: { running: 0 }, inputs: { waiting: 0 } });
  expect((await runCommand(["agent", "-m", "go on"], { home: product.home })).stdout).toBe("And this is the next answer.\n");
});
