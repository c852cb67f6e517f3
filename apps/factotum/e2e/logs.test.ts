import { readFile } from "node:fs/promises";
import path from "node:path";
import { startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const KEY = "sk-ant-canary-0123456789";
const WORDS = "canary-words-of-a-person";

test("the log of a dead gateway is readable, and contains no secret that someone repeated, and no message texts", async () => {
  await using server = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  server.respond(() => ({ type: "error", errorType: "authentication", message: `invalid x-api-key: ${KEY}` }));
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: server.baseUrl, apiKey: KEY } } },
    },
    env: { FACTOTUM_LOG_LEVEL: "debug" },
  });
  const answer = await fetch(`${product.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${product.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: WORDS }] }),
  });
  expect(answer.ok).toBe(false);
  await product.end("SIGTERM");

  const file = await readFile(path.join(product.home, "logs", "gateway.log"), "utf8");
  const json = await runCommand(["logs", "--json", "--lines", "1000"], { home: product.home });
  expect(json).toMatchObject({ code: 0, stdout: file });
  const failed = file.split("\n").find((line) => line.includes("A run failed"));
  expect(JSON.parse(failed ?? "{}")).toMatchObject({
    level: "warn",
    detail: expect.stringContaining("invalid x-api-key") as string,
    turnId: expect.any(String) as string,
    inputIds: [expect.any(String) as string],
  });
  const shown = await runCommand(["logs"], { home: product.home });
  expect(shown.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d warn {2}A run failed /m);
  for (const secret of [KEY, product.token, WORDS])
    for (const text of [file, shown.stdout, product.output().split("/#token=")[0] ?? ""]) expect(text).not.toContain(secret);
});
