import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "@factotum/config";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { configOptions } from "../compose/extensions.ts";
import { assetPath } from "../runtime/assets.ts";

const FILES = ["AGENTS.md", "BOOTSTRAP.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"];

test("setup creates a valid configuration, a token and a workspace, all private", async () => {
  await using cli = await CliHome.create();
  const result = await cli.run("setup", "--json");
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toEqual({
    home: cli.factotumHome,
    config: { path: join(cli.factotumHome, "factotum.json5"), created: true },
    workspaces: [{ path: join(cli.factotumHome, "workspace"), created: expect.arrayContaining(FILES) as string[] }],
    tokenCreated: true,
  });
  expect((await cli.run("config", "validate")).code).toBe(0);
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") throw new Error("refused");
  expect(loaded.config.tools.profile).toEqual(["coding", "messaging"]);
  expect(loaded.config.commands.ownerDisplaySecret).toEqual({ type: "file", path: "credentials/owner-display-secret" });
  expect((await readdir(join(cli.factotumHome, "workspace"))).sort()).toEqual(FILES);
  const modes = await Promise.all(
    ["", "factotum.json5", "credentials", "credentials/gateway-token", "credentials/owner-display-secret", "workspace"].map(
      async (name) => (await stat(join(cli.factotumHome, name))).mode & 0o077,
    ),
  );
  expect(modes).toEqual([0, 0, 0, 0, 0, 0]);
});

test("a second setup changes nothing, and restores missing files except BOOTSTRAP.md", async () => {
  await using cli = await CliHome.create();
  await cli.run("setup");
  const workspace = join(cli.factotumHome, "workspace");
  await writeFile(join(workspace, "SOUL.md"), "mine");
  await rm(join(workspace, "BOOTSTRAP.md"));
  await rm(join(workspace, "TOOLS.md"));
  const [config, token] = [await cli.read("factotum.json5"), await cli.read("credentials/gateway-token")];
  const { stdout } = await cli.run("setup", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ config: { created: false }, tokenCreated: false, workspaces: [{ created: ["TOOLS.md"] }] });
  expect(await readFile(join(workspace, "SOUL.md"), "utf8")).toBe("mine");
  expect(await readdir(workspace)).not.toContain("BOOTSTRAP.md");
  expect([await cli.read("factotum.json5"), await cli.read("credentials/gateway-token")]).toEqual([config, token]);
});

test("every agent of the configuration gets its workspace; skipBootstrap leaves it empty", async () => {
  await using cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  const agents = { list: [{ id: "a" }, { id: "b", skipBootstrap: true, workspace: "~/bee" }] };
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify({ agents }));
  await chmod(cli.factotumHome, 0o755);
  expect((await cli.run("setup")).code).toBe(0);
  expect((await readdir(join(cli.factotumHome, "workspace"))).sort()).toEqual(FILES);
  expect(await readdir(join(cli.home, "bee"))).toEqual([]);
  expect((await stat(cli.factotumHome)).mode & 0o777).toBe(0o700);
});

test.each(["my.yaml", "my.json", "my.json5"])("FACTOTUM_CONFIG determines path and format: %s", async (name) => {
  await using cli = await CliHome.create();
  cli.env["FACTOTUM_CONFIG"] = join(cli.home, name);
  expect((await cli.run("setup")).code).toBe(0);
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") throw new Error("refused");
  expect(loaded).toMatchObject({ source: "file", problems: [], path: join(cli.home, name) });
  expect(loaded.config.tools.profile).toEqual(["coding", "messaging"]);
});

test("a bad configuration is named and not changed", async () => {
  await using cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), "{ gateway: { port: 'many' } }");
  const result = await cli.run("setup");
  expect(result.code).toBe(4);
  expect(result.stderr).toContain("gateway.port");
  expect(await cli.read("factotum.json5")).toBe("{ gateway: { port: 'many' } }");
});

test("the templates are short: together at most 3,000 characters", async () => {
  const names = (await readdir(assetPath("templates"))).sort();
  expect(names).toEqual(FILES);
  const texts = await Promise.all(names.map((name) => readFile(join(assetPath("templates"), name), "utf8")));
  expect(texts.every((text) => text.trim().length > 40)).toBe(true);
  expect(texts.join("").length).toBeLessThanOrEqual(3000);
  // They are part of each request, which one other character makes two-byte text; see `render-system-prompt.test.ts`.
  // oxlint-disable-next-line no-control-regex -- the range is what ASCII is
  expect(texts.join("").match(/[^\x00-\x7f]/gu)).toBeNull();
});
