import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RpcMethods } from "@factotum/protocol";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

type Versions = RpcMethods["chat.branches"]["result"]["branches"];

async function branches(product: Product): Promise<Versions> {
  const { stdout } = await runCommand(["sessions", "branches", "main", "--json"], product);
  return (JSON.parse(stdout) as { readonly branches: Versions }).branches;
}

test("an edited message is answered once after a kill in its request, the old branch is shown again, and a copy keeps both", async () => {
  await using server = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  server.respond(({ index }) => textReply(`Answer ${index}.`));
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-branches-"));
  const config = {
    agents: { defaults: { model: { primary: "anthropic/claude-opus-4-6" } } },
    models: { providers: { anthropic: { apiKey: "sk-ant-test", baseUrl: server.baseUrl } } },
  };
  await using first = await startProduct({ config });
  await runCommand(["agent", "--message", "one"], first);
  await runCommand(["agent", "--message", "two"], first);
  const before = server.requests.length;
  const gate = server.hold();
  expect((await runCommand(["sessions", "edit", "main", "two", "again"], first)).code).toBe(0);
  await expect.poll(() => server.requests.length).toBe(before + 1);
  await first.end("SIGKILL");
  gate.open();

  await using second = await startProduct({ home: first.home });
  const sent = (): string => JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
  await expect.poll(() => server.requests.length).toBe(before + 2);
  expect(sent()).toContain("two again");
  expect(sent()).not.toContain("Answer 1.");
  const [found] = await branches(second);
  expect(found?.versions).toMatchObject([
    { text: "two", isShown: false },
    { text: "two again", isShown: true },
  ]);
  await expect.poll(async () => (await runCommand(["sessions", "branch", "main", found?.versions[0]?.entryId ?? ""], second)).code).toBe(0);
  const { stdout } = await runCommand(["agent", "--message", "three"], second);
  expect(stdout).toContain("Answer");
  expect(sent()).toContain("Answer 1.");
  expect(sent()).not.toContain("two again");
  await runCommand(["sessions", "regenerate", "main"], second);
  await expect.poll(async () => (await branches(second)).length).toBe(2);

  const file = path.join(folder, "copy.jsonl");
  await runCommand(["sessions", "export", "main", "--output", file], second);
  await using third = await startProduct({ config });
  await runCommand(["sessions", "import", file], third);
  const shown = (all: Versions): unknown => all.map(({ versions }) => versions.map(({ text, isShown }) => [text, isShown]));
  expect(shown(await branches(third))).toEqual(shown(await branches(second)));
  await rm(folder, { recursive: true });
});
