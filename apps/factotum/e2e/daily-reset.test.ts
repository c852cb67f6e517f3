import { readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const DAY_MS = 86_400_000;

test("the first message of another day starts a new conversation, and the old one is kept", { timeout: 300_000 }, async () => {
  await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  model.respond(() => textReply("Yes."));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
  };
  await using first = await startProduct({ config });
  await runCommand(["agent", "--message", "remember the number 7711"], first);
  await runCommand(["agent", "--message", "which number?"], first);
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain("7711");
  await first.end("SIGTERM");
  const before = yesterday(path.join(first.home, "state", "factotum.sqlite"));
  await using second = await startProduct({ config, home: first.home });
  expect((await runCommand(["agent", "--message", "good morning"], second)).stdout).toContain("Yes.");
  const asked = JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
  expect(asked).toContain("good morning");
  expect(asked).not.toContain("7711");
  expect(await readFile(path.join(first.home, "agents", "main", "sessions", `${before}.jsonl`), "utf8")).toContain("7711");
  const { sessions } = JSON.parse((await runCommand(["sessions", "list", "--json"], second)).stdout) as {
    readonly sessions: readonly { readonly key: string; readonly sessionId: string }[];
  };
  expect(sessions).toMatchObject([{ key: "agent:main:main", sessionId: expect.not.stringMatching(before) as string }]);
  expect(model.violations).toEqual([]);
});

/** Backdates the start of the only conversation by a day; returns its session id. */
function yesterday(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const row = database.prepare("UPDATE conversations SET started_at = started_at - ? RETURNING session_id").get(DAY_MS);
    return String(row?.["session_id"]);
  } finally {
    database.close();
  }
}
