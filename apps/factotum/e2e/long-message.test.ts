import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const WINDOW = 200_000;
const LONG = `begins here ${"lorem ipsum ".repeat(420_000)} ends here`;

/** All files stored for conversations. */
async function keptFiles(home: string): Promise<readonly string[]> {
  const root = path.join(home, "media", "inbound");
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".txt"));
  return Promise.all(names.map(async (name) => readFile(path.join(root, name), "utf8")));
}

test("messages of 5 MB over /v1, the newest and one before it, are kept in files and cut for the model", { timeout: 300_000 }, async () => {
  await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  model.respond(() => textReply("Noted."));
  const models = [{ id: "claude-sonnet-4-6", contextWindow: WINDOW, maxOutput: 1000 }];
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789", models } } },
    },
  });
  const messages = [
    { role: "user", content: `older: ${LONG}` },
    { role: "assistant", content: "Go on." },
    { role: "user", content: LONG },
  ];
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${product.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "factotum", messages }),
  });
  expect(response.status).toBe(200);
  expect(JSON.stringify(await response.json())).toContain("Noted.");
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.bytes.length).toBeLessThan(WINDOW * 4);
  const sent = JSON.stringify(model.requests[0]?.body);
  expect(sent.match(/characters of this message are left out here/g)).toHaveLength(2);
  expect(sent).toContain("older: begins here");
  expect(sent).toContain("ends here");
  expect((await keptFiles(product.home)).toSorted()).toEqual([`older: ${LONG}`, LONG].toSorted());
  expect(model.violations).toEqual([]);
});
