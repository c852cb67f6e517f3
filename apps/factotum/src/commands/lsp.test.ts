import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const TSC = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));

async function withLsp(cli: CliHome, lsp: object): Promise<void> {
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify({ lsp }), { mode: 0o600 });
}

test("lsp test starts a server where its files are, and says why one does not work; list starts none", async () => {
  await using cli = await CliHome.create();
  await withLsp(cli, {
    servers: {
      typescript: { command: process.execPath, args: [TSC, "--lsp", "--stdio"] },
      broken: { command: "sh", args: ["-c", "echo no licence >&2; exit 1"], languages: ["typescript"] },
      off: { command: "sh", enabled: false },
    },
  });
  const listed = JSON.parse((await cli.run("lsp", "list", "--json")).stdout) as { readonly servers: readonly { readonly name: string }[] };
  expect(listed.servers).toContainEqual({
    name: "typescript",
    source: null,
    isDetected: false,
    languages: ["typescript"],
    program: process.execPath,
    isUsed: true,
    operations: null,
    problem: null,
  });
  expect(listed.servers.map(({ name }) => name)).not.toContain("off");
  expect((await cli.run("lsp", "list")).stdout).toMatch(/broken +configuration +typescript +not started yet +sh/);
  const empty = await cli.run("lsp", "test", "typescript");
  expect(empty.stderr).toContain("put a file of its languages into");
  await writeFile(join(cli.factotumHome, "workspace", "a.ts"), "export const a = 1;\n");
  expect((await cli.run("lsp", "test", "typescript")).stdout).toContain("typescript works. Its tools:\n  lsp_definition_typescript\n");
  const broken = await cli.run("lsp", "test", "broken");
  expect(broken.code).not.toBe(0);
  expect(broken.stderr).toContain("broken cannot be used: it has ended (no licence).");
  expect((await cli.run("lsp", "test", "off")).stderr).toContain("There is no language server");
});
