import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readServerFile } from "./package-servers.ts";
import { readManifest } from "./read-manifest.ts";
import { addedParts, partOf, type Provided } from "./provided-types.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-package-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

async function read<Kind extends "mcp" | "lsp">(kind: Kind, content: unknown) {
  await writeFile(join(folder, "servers.json"), typeof content === "string" ? content : JSON.stringify(content));
  return readServerFile(kind, "./servers.json", { folder, id: "kit" });
}

test("programs are found in the package, and get no variable that is not listed", async () => {
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "dist", "main.mjs"), "");
  const [one] = await read("mcp", {
    mcpServers: {
      files: {
        command: "node",
        args: ["dist/main.mjs", "--data", "${CLAUDE_PLUGIN_ROOT}/data", "application/json"],
        env: { KEY: "${FILES_KEY}", PLACE: "${PLUGIN_ROOT}", EMPTY: "" },
        trusted: true,
        sandbox: { mode: "off" },
      },
    },
  });
  expect(one).toMatchObject({
    name: "kit-files",
    shown: "node dist/main.mjs --data ${CLAUDE_PLUGIN_ROOT}/data application/json; with KEY=${FILES_KEY}, PLACE=${PLUGIN_ROOT}, EMPTY=",
    settings: {
      command: "node",
      args: [join(folder, "dist/main.mjs"), "--data", join(folder, "data"), "application/json"],
      env: { KEY: { type: "env", name: "FILES_KEY" }, PLACE: { type: "literal", value: folder } },
      cwd: folder,
      trusted: false,
      enabled: true,
      sandbox: { mode: "inherit" },
    },
  });
  expect(Object.keys(one?.settings && "env" in one.settings ? one.settings.env : {})).toEqual(["KEY", "PLACE"]);
});

test("a server at an address gets its token from a variable of the gateway", async () => {
  const servers = {
    wiki: { type: "http", url: "https://wiki.example/mcp", headers: { Authorization: "Bearer ${WIKI}", "X-Team": "blue" } },
  };
  expect(await read("mcp", servers)).toMatchObject([
    {
      name: "kit-wiki",
      settings: { transport: "streamable-http", auth: { type: "env", name: "WIKI" }, headers: { "X-Team": { value: "blue" } } },
    },
  ]);
});

test("language servers take the names that bundles use", async () => {
  const go = { command: "./bin/go-server", extensionToLanguage: { ".go": "go", ".mod": "gomod" }, settings: { root: "${PLUGIN_ROOT}" } };
  expect(await read("lsp", { gopls: go })).toMatchObject([
    {
      name: "kit-gopls",
      settings: {
        command: join(folder, "bin/go-server"),
        languages: ["go", "gomod"],
        extensions: go.extensionToLanguage,
        settings: { root: folder },
        sandbox: { mode: "inherit" },
      },
    },
  ]);
});

test.each([
  ["{", "servers.json is not JSON"],
  [[], "servers.json is not a list of servers by name"],
  [{ a: { command: "../sh" } }, "a path that leaves the package"],
  [{ a: { command: "node", args: ["--file=../x"] } }, "a path that leaves the package"],
  [{ a: { command: "node", args: ["${PLUGIN_ROOT}/../x"] } }, "a path that leaves the package"],
  [{ a: { command: "node", cwd: "/etc" } }, "its working folder is outside of the package"],
  [{ a: { command: "~/x" } }, "in a home folder"],
  [{ a: { command: "node", args: ["${HOME}"] } }, "only ${PLUGIN_ROOT} is"],
  [{ a: { command: "node", env: { KEY: { file: "/etc/passwd" } } } }, "env.KEY"],
  [{ a: { url: "https://x.example", headers: { Key: "x ${KEY}" } } }, "puts a variable together"],
  [{ a: { url: "file:///etc/passwd" } }, "the server a cannot be used"],
  [{ "a b": { command: "x" } }, "other characters"],
])("refuses %j", async (content, reason) => {
  await expect(read("mcp", content)).rejects.toThrow(reason);
});

test("a package with a broken file of servers is not used, and a changed program is new", async () => {
  const factotum = { api: 1, provides: [{ type: "mcp", servers: "./servers.json" }] };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "@team/kit", version: "1.0.0", factotum }));
  expect(await readManifest(folder)).toMatchObject({ type: "invalid", problems: ["./servers.json is missing"] });
  const provided = async (servers: object): Promise<readonly Provided[]> => {
    await writeFile(join(folder, "servers.json"), JSON.stringify(servers));
    const reading = await readManifest(folder);
    return reading.type === "manifest" ? reading.manifest.provides : [];
  };
  const before = await provided({ a: { command: "one" }, b: { command: "x" } });
  expect(before.map(partOf)).toEqual([
    {
      type: "mcp",
      servers: [
        { name: "kit-a", runs: "one" },
        { name: "kit-b", runs: "x" },
      ],
    },
  ]);
  expect(addedParts(before, await provided({ b: { command: "x" } }))).toEqual([]);
  const after = await provided({ a: { command: "one", args: ["--all"] }, b: { command: "x" } });
  expect(addedParts(before, after)).toEqual([{ type: "mcp", servers: [{ name: "kit-a", runs: "one --all" }] }]);
});
