import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

test("the assistant is told where the documentation is, and can read it without a network", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes("The `factotum` command")) return sayText("It is all there.");
    const folder = /also readable offline: (?<folder>[^\\]+)/.exec(text)?.groups?.["folder"] ?? "";
    return callTools({ name: "read", arguments: { path: `${folder}/cli.md` } });
  });
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    },
  });
  const { stdout } = await runCommand(["agent", "--message", "how do I see the log?"], { home: product.home });
  expect(stdout).toBe("It is all there.\n");
  expect(JSON.stringify(model.requests[0]?.body?.["system"])).toContain("## Documentation");
  expect(model.requests).toHaveLength(2);
});
