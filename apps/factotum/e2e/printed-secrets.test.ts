import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { REDACTED } from "@factotum/config";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const KEY = "sk-canary-0123456789abcdef";
const TOKEN = "gateway-canary-0123456789abcdef";

test("secrets that a command prints reach no request, transcript, session file or log; other text is untouched", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const plain = "héllo  \tsk-canary-other ==\n";
  model.respond(({ body }) => {
    const results = JSON.stringify(body).split('"tool_result"').length - 1;
    if (results === 0)
      return callTools({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/factotum.json5 $FACTOTUM_HOME/credentials/*; env" } });
    if (results === 1) return callTools({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/workspace/plain.txt" } });
    return sayText("Done.");
  });
  await using product = await startProduct({
    config: {
      gateway: { auth: { token: TOKEN } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: { file: "credentials/anthropic" } } } },
    },
    home: await homeWith({ "credentials/anthropic": KEY, "workspace/plain.txt": plain }),
  });
  const { stdout } = await runCommand(["agent", "--message", "print them"], { home: product.home });
  expect(stdout).toBe("Done.\n");
  await product.end("SIGTERM");
  const requests = JSON.stringify(model.requests.map(({ body }) => body));
  expect(requests.split(REDACTED).length - 1).toBeGreaterThanOrEqual(2);
  expect(requests).toContain(JSON.stringify(plain).slice(1, -1));
  // Only the copies of the configuration hold what the owner wrote into it.
  const written = (
    await filesBelow(path.join(product.home, "state"), path.join(product.home, "agents"), path.join(product.home, "logs"))
  ).filter((file) => !file.includes("config-versions") && !file.endsWith("config.last-good.json5"));
  expect(written.some((file) => file.endsWith(".jsonl"))).toBe(true);
  for (const canary of [KEY, TOKEN]) {
    expect(requests).not.toContain(canary);
    for (const file of written) expect(`${file} ${(await readFile(file)).includes(canary)}`).toBe(`${file} false`);
  }
});

async function homeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), "factotum-secrets-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 });
    await writeFile(path.join(home, name), text, { mode: 0o600 });
  }
  return home;
}

async function filesBelow(...folders: readonly string[]): Promise<string[]> {
  const lists = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((entry) =>
      entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
    ),
  );
  return (await Promise.all(lists)).flat();
}
