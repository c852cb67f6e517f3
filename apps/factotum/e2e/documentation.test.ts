import { readFile } from "node:fs/promises";
import path from "node:path";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { productEntry, runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

test("the bundled documentation holds what every configuration key means", async () => {
  const reference = await readFile(path.join(path.dirname(productEntry), "docs/configuration-reference.md"), "utf8");
  await using product = await startProduct();
  expect(await runCommand(["config", "reference"], { home: product.home })).toEqual({ code: 0, stdout: reference, stderr: "" });
  expect(reference).toMatch(/^\| `tools\.exec\.maxProcesses` \| whole number \| from 1 \| `256` \|  \| .+ \|$/m);
  expect(reference).toMatch(/^\| `channels\.feishu\.appSecret` \| text or secret \|/m);
});

test.each([
  ["cli.md", "The `factotum` command"],
  ["configuration-reference.md", "# Configuration keys"],
])("the assistant is given the location of the documentation, and can read %s without a network", async (file, heading) => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes(heading)) return sayText("It is all there.");
    const folder = /no network needed: (?<folder>[^\\]+)/.exec(text)?.groups?.["folder"] ?? "";
    return callTools({ name: "read", arguments: { path: `${folder}/${file}` } });
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
