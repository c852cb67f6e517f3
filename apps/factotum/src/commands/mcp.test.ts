import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { statePaths } from "@factotum/config";
import { CliHome } from "../../test/cli.ts";
import { createLoginPorts } from "../compose/mcp-logins.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock } from "../runtime/system-clock.ts";

const LIST_SERVER = fileURLToPath(new URL("../../e2e/mcp-list-server.ts", import.meta.url));

interface Listed {
  readonly servers: readonly { readonly name: string; readonly place: string; readonly tools: readonly string[] | null }[];
}

const configOf = async (cli: CliHome): Promise<string> => readFile(join(cli.factotumHome, "factotum.json5"), "utf8");

async function withConfig(cli: CliHome, text: string): Promise<void> {
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), text, { mode: 0o600 });
}

test("mcp add keeps the comments of the file and puts values into private files; remove takes both away", async () => {
  await using cli = await CliHome.create();
  await withConfig(cli, "{\n  // mine\n  agents: { defaults: { model: 'demo/demo' } },\n}\n");
  const added = await cli.run(
    "mcp",
    "add",
    "files",
    "--env",
    "TOKEN=hunter2-hunter2",
    "--env",
    "LOG_LEVEL=quiet",
    "--env",
    "HOST=${MY_HOST}",
    "--",
    "npx",
    "-y",
    "files-mcp",
    "/srv",
  );
  expect(added).toMatchObject({ code: 0 });
  const text = await configOf(cli);
  expect(text).toContain("// mine");
  expect(text).not.toContain("hunter2");
  expect(text).toMatch(/LOG_LEVEL"?: ["']quiet/);
  const file = join(cli.factotumHome, "credentials", "mcp-files-TOKEN");
  expect(await readFile(file, "utf8")).toBe("hunter2-hunter2\n");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { servers } = JSON.parse((await cli.run("mcp", "list", "--json")).stdout) as Listed;
  expect(servers).toMatchObject([{ name: "files", place: "npx -y files-mcp /srv", tools: null }]);
  expect((await cli.run("mcp", "list")).stdout).toMatch(/files +configuration +untrusted +not started yet/);
  expect((await cli.run("mcp", "add", "files", "--", "other")).stderr).toContain("already");
  expect(await cli.run("mcp", "remove", "files")).toMatchObject({ code: 0 });
  expect(await readdir(join(cli.factotumHome, "credentials"))).toEqual([]);
  expect((await cli.run("mcp", "list")).stdout).toContain("There are no MCP servers.");
  expect((await cli.run("mcp", "remove", "files")).stderr).toContain("There is no server");
});

test("mcp add takes either a command or an address, and leaves nothing behind if the configuration refuses it", async () => {
  await using cli = await CliHome.create();
  await withConfig(cli, "{}");
  expect((await cli.run("mcp", "add", "both", "--url", "https://a.example/mcp", "--", "npx")).stderr).toContain("a command or an address");
  expect((await cli.run("mcp", "add", "neither")).stderr).toContain("a command or an address");
  expect((await cli.run("mcp", "add", "bad", "--env", "TOKEN", "--", "npx")).stderr).toContain("is not NAME=VALUE");
  const refused = await cli.run("mcp", "add", "wiki", "--url", "ftp://a.example", "--header", "X-Key=hunter2-hunter2");
  expect(refused.stderr).toContain("was not changed");
  const mixed = await cli.run("mcp", "add", "wiki", "--url", "https://a.example/mcp", "--header", "X-Key=a ${KEY}");
  expect(mixed.stderr).toContain("X-Key has a variable with text around it");
  expect(await readdir(join(cli.factotumHome, "credentials"))).toEqual([]);
  const token = ["--header", "Authorization=Bearer ${WIKI_TOKEN}"];
  expect(await cli.run("mcp", "add", "wiki", "--url", "https://a.example/mcp", "--transport", "sse", "--trusted", ...token)).toMatchObject({
    code: 0,
  });
  expect((await cli.run("config", "get", "mcp.servers.wiki.auth", "--json")).stdout).toContain('"env": "WIKI_TOKEN"');
  expect((await cli.run("mcp", "list")).stdout).toMatch(/wiki +configuration +trusted +not started yet +https:\/\/a\.example\/mcp/);
});

test("mcp login and logout are for servers at an address, and a client's secret needs its issuer", async () => {
  await using cli = await CliHome.create();
  const wiki = { url: "http://nas.lan/mcp" };
  await withConfig(cli, JSON.stringify({ mcp: { servers: { wiki, files: { command: "files-mcp" } } } }));
  expect((await cli.run("mcp", "login", "files")).stderr).toContain("logins are for servers at an address");
  expect((await cli.run("mcp", "login", "nothing")).stderr).toContain("There is no server");
  expect((await cli.run("mcp", "login", "wiki")).stderr).toContain(
    "There is no login at wiki: its address is not encrypted; a login needs https://.",
  );
  expect((await cli.run("mcp", "logout", "wiki")).stdout).toBe("There was no login at wiki.\n");
  const secret = await cli.run("config", "set", "mcp.servers.wiki.oauth", '{"clientId":"a","clientSecret":"hunter2-hunter2"}');
  expect(secret).toMatchObject({ code: 4 });
  expect(secret.stderr).toContain("clientSecret needs clientId, and the issuer that may get it");
});

test("addresses that a server names have to be public", async () => {
  await using cli = await CliHome.create();
  const ports = createLoginPorts(statePaths(cli.env), { clock: systemClock, secrets: new SecretFilter() });
  for (const url of ["https://127.0.0.1/token", "https://192.168.1.7/token", "https://[::1]/token", "https://localhost/token"])
    await expect(ports.fetchPublic(url)).rejects.toThrow(/private|public|not/);
});

test("mcp test lists prompts, too", async () => {
  await using cli = await CliHome.create();
  const everything = fileURLToPath(new URL("dist/index.js", import.meta.resolve("@modelcontextprotocol/server-everything/package.json")));
  await withConfig(cli, JSON.stringify({ mcp: { servers: { all: { command: process.execPath, args: [everything] } } } }));
  expect((await cli.run("mcp", "test", "all")).stdout).toMatch(/^Its prompts: \d+\n[^]*^ {2}\/mcp__all__args-prompt$/m);
});

test("mcp test starts a server, lists its tools, and says why one does not work", async () => {
  await using cli = await CliHome.create();
  const list = join(cli.factotumHome, "tools.json");
  await withConfig(
    cli,
    JSON.stringify({
      mcp: {
        servers: {
          list: { command: process.execPath, args: [LIST_SERVER, list] },
          broken: { command: "sh", args: ["-c", "echo no licence >&2; exit 1"] },
        },
      },
    }),
  );
  await writeFile(list, JSON.stringify([{ name: "ping", inputSchema: { type: "object" } }]));
  const tested = await cli.run("mcp", "test", "list");
  expect(tested.stdout).toBe("list works. Its tools: 1\n  mcp__list_ping\n");
  const broken = await cli.run("mcp", "test", "broken");
  expect(broken.code).not.toBe(0);
  expect(broken.stderr).toContain("broken cannot be used: it has ended (no licence).");
});

test.each([
  [
    "Claude Desktop",
    `{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files-mcp"], "env": { "KEY": "hunter2-hunter2" } } } }`,
    { files: { command: "npx", args: ["-y", "files-mcp"], env: { KEY: { file: "credentials/mcp-files-KEY" } } } },
    /files is added/,
  ],
  [
    "Cursor",
    `{ "mcpServers": { "wiki": { "url": "https://wiki.example/mcp", "headers": { "X-Token": "\${env:WIKI_TOKEN}" } }, "team": { "url": "https://team.example/mcp", "headers": { "Authorization": "Bearer \${env:TEAM_TOKEN}" } }, "off": { "command": "a", "disabled": true } } }`,
    {
      wiki: { url: "https://wiki.example/mcp", headers: { "X-Token": { env: "WIKI_TOKEN" } } },
      team: { url: "https://team.example/mcp", auth: { env: "TEAM_TOKEN" } },
      off: { command: "a", args: [], enabled: false },
    },
    /off is added/,
  ],
  [
    "VS Code",
    `{
      // servers of the team
      "inputs": [{ "id": "key", "type": "promptString" }],
      "servers": {
        "old": { "type": "sse", "url": "http://nas.lan/sse" },
        "asks": { "type": "stdio", "command": "b", "env": { "KEY": "\${input:key}", "MODE": "x" } },
        "here": { "command": "c", "args": ["\${workspaceFolder}"] },
        "known": { "command": "d" },
      },
    }`,
    {
      old: { url: "http://nas.lan/sse", transport: "sse" },
      asks: { command: "b", args: [] },
    },
    /! asks: env\.KEY is not taken over[^]*! here is left out: \$\{workspaceFolder\}[^]*! known is left out: there is a server of this name/,
  ],
])("mcp import takes over the file of %s", async (_program, file, expected, told) => {
  await using cli = await CliHome.create();
  await withConfig(cli, JSON.stringify({ mcp: { servers: { known: { command: "mine" } } } }));
  const path = join(cli.factotumHome, "mcp.json");
  await writeFile(path, file);
  const imported = await cli.run("mcp", "import", path);
  expect(imported.stdout).toMatch(told);
  const { servers } = (
    JSON.parse((await cli.run("config", "get", "mcp", "--json")).stdout) as { readonly value: { readonly servers: object } }
  ).value;
  expect(servers).toMatchObject(expected);
  expect(Object.keys(servers).toSorted()).toEqual(["known", ...Object.keys(expected)].toSorted());
  expect(await configOf(cli)).not.toContain("hunter2");
});

test("mcp import says what is wrong with a file", async () => {
  await using cli = await CliHome.create();
  await withConfig(cli, "{}");
  const path = join(cli.factotumHome, "mcp.json");
  expect((await cli.run("mcp", "import", path)).stderr).toContain("cannot be read");
  await writeFile(path, "no JSON");
  expect((await cli.run("mcp", "import", path)).stderr).toContain("is not JSON");
  await writeFile(path, "{}");
  expect((await cli.run("mcp", "import", path)).stderr).toContain("neither mcpServers nor servers");
});
