import { sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

test("the command line reports once that another model answers", async () => {
  await using first = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  await using second = checkedOfficially(await startStrictServer("openai-chat"), "openai-chat");
  first.respond(() => ({ type: "error", errorType: "overloaded", message: "Come back later.", headers: { "retry-after": "60" } }));
  second.respond(() => sayText("Here I am."));
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: { primary: "anthropic/claude-sonnet-5-5", fallbacks: ["house/gpt-4o"] } } },
      models: {
        providers: {
          anthropic: { baseUrl: first.baseUrl, apiKey: "sk-test" },
          house: { api: "openai-chat", baseUrl: second.baseUrl, apiKey: "sk-house-0123456789", models: [{ id: "gpt-4o" }] },
        },
      },
    },
  });
  const ask = (...args: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(["agent", "--message", "anyone there?", ...args], { home: product.home });
  const told = /house\/gpt-4o/;
  const asked = await ask();
  expect(asked).toMatchObject({ code: 0, stdout: "Here I am.\n", stderr: expect.stringMatching(told) });
  expect(await ask()).toMatchObject({ code: 0, stdout: "Here I am.\n", stderr: "" });
  const fresh = JSON.parse((await ask("--session", "agent:main:other", "--json")).stdout) as { readonly remarks?: readonly string[] };
  expect(fresh.remarks).toEqual([expect.stringMatching(told)]);
});
