import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@factotum/testing-providers";
import { runCommand } from "@factotum/testing-product";
import { describe, expect, test } from "vitest";
import type { Order } from "./obedient-model.ts";
import { LIST_SERVER, localServer, serverProgram, startMcpScene } from "./mcp-scene.ts";
import { processesBelow, stillRunning } from "./processes.ts";

const folderOf = async (): Promise<string> => mkdtemp(join(tmpdir(), "factotum-mcp-"));
const deferred = (name: string, given: JsonObject = {}): Order => ({ name: "tool_call", arguments: { name, arguments: given } });

describe("MCP servers of the registry in the built product", { timeout: 240_000 }, () => {
  test("server-filesystem, server-memory and server-everything do what the model asks, behind tool_search", async () => {
    const folder = await folderOf();
    await writeFile(join(folder, "note.txt"), "the note");
    await using scene = await startMcpScene({
      files: localServer(serverProgram("filesystem"), [folder], { trusted: true }),
      memory: localServer(serverProgram("memory"), [], { trusted: true, env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } }),
      everything: localServer(serverProgram("everything"), [], { trusted: true }),
    });
    const { model, product, use } = scene;
    expect(await use({ name: "tool_search", arguments: { query: "read the complete contents of a text file" } })).toContain(
      "## mcp__files_read_text_file",
    );
    const system = JSON.stringify(model.requests[0]?.body?.["system"]);
    expect(system).toMatch(/mcp:everything: \d+ tools, mcp:files: 14 tools, mcp:memory: 11 tools/);
    expect(system).not.toContain("mcp__");
    expect(await use(deferred("mcp__files_read_text_file", { path: join(folder, "note.txt") }))).toContain("the note");
    const entity = { name: "Ann", entityType: "person", observations: ["likes tea"] };
    await use(deferred("mcp__memory_create_entities", { entities: [entity] }));
    expect(await use(deferred("mcp__memory_search_nodes", { query: "tea" }))).toContain("Ann");
    expect(await use(deferred("mcp__everything_echo", { message: "hello there" }))).toContain("Echo: hello there");
    expect(await use(deferred("mcp__everything_list_resources"))).toContain("demo://resource/static/document/features.md");
    const resource = { uri: "demo://resource/static/document/features.md" };
    expect(await use(deferred("mcp__everything_read_resource", resource))).toContain("Everything Server");
    expect(await use(deferred("mcp__everything_get-sum", { a: 2, b: 40 }))).toContain("42");
    expect(await use(deferred("mcp__everything_get-structured-content", { location: "Chicago" }))).toMatch(/temperature/);
    await use(deferred("mcp__everything_get-tiny-image"));
    expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain('"media_type":"image/png"');
    const listed = await runCommand(["tools", "list"], { home: product.home });
    expect(listed.stdout).toMatch(/mcp__files_read_text_file +available/);
    const explained = await runCommand(["tools", "explain", "mcp__files_write_file"], { home: product.home });
    expect(explained.stdout).toContain("mcp__files_write_file: ");
    const below = await processesBelow(product.pid);
    expect(below.length).toBeGreaterThanOrEqual(3);
    expect(await product.end("SIGTERM")).toMatchObject({ code: 0 });
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);
  });

  test("server-everything over streamable HTTP", async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [serverProgram("everything"), "streamableHttp"], {
      env: { ...process.env, PORT: String(port) },
      stdio: "pipe",
    });
    try {
      await expect
        .poll(
          async () =>
            fetch(`http://127.0.0.1:${port}/mcp`).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 30_000 },
        )
        .toBeGreaterThan(0);
      await using scene = await startMcpScene({ remote: { url: `http://127.0.0.1:${port}/mcp`, trusted: true, toolFilter: ["echo"] } });
      expect(await scene.use({ name: "mcp__remote_echo", arguments: { message: "over HTTP" } })).toContain("Echo: over HTTP");
      child.kill("SIGKILL");
      expect(await scene.use({ name: "mcp__remote_echo", arguments: { message: "again" } })).toMatch(
        /connection to the MCP server remote was lost.*ECONNREFUSED/,
      );
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("an untrusted server's results taint: the next call needs the owner, and its words stay out of the prompt", async () => {
    await using scene = await startMcpScene({ everything: localServer(serverProgram("everything"), [], { toolFilter: ["echo"] }) });
    const { model, product, use } = scene;
    const call = { name: "mcp__everything_echo", arguments: { message: "one" } };
    expect(await use(call)).toContain("Echo: one");
    const system = JSON.stringify(model.requests[0]?.body?.["system"]);
    expect(system).toContain("- mcp__everything_echo\\n");
    expect(system).not.toContain("Echoes back");
    const again = use(call).catch(() => "ended with the gateway");
    await expect
      .poll(async () => (await runCommand(["approvals", "list"], { home: product.home })).stdout, { timeout: 60_000, interval: 1_000 })
      .toMatch(/mcp__everything_echo[^]*Rule taint/);
    await product.end("SIGKILL");
    expect(await again).toBe("ended with the gateway");
  });

  test("a server that cannot start is one line in the prompt, in status and for doctor, and its reason is named", async () => {
    await using scene = await startMcpScene({ broken: { command: "sh", args: ["-c", "echo no licence found >&2; exit 1"] } });
    const { model, product, use } = scene;
    await use({ name: "session_status", arguments: {} });
    expect(JSON.stringify(model.requests[0]?.body?.["system"])).toContain("Not usable when this was written: mcp:broken.");
    const told = "The tools of mcp:broken cannot be used: it has ended (no licence found).";
    for (const command of ["status", "doctor"]) expect((await runCommand([command], { home: product.home })).stdout).toContain(told);
  });

  test("a killed gateway leaves no process, and the next start asks no server for its list", async () => {
    const list = join(await folderOf(), "tools.json");
    await writeFile(list, JSON.stringify([{ name: "ping", inputSchema: { type: "object" } }]));
    const servers = { list: localServer(LIST_SERVER, [list], { trusted: true }) };
    await using first = await startMcpScene(servers);
    const call = { name: "mcp__list_ping", arguments: {} };
    for (let round = 0; round < 3; round += 1) expect(await first.use(call)).toContain("ran ping");
    const below = await processesBelow(first.product.pid);
    expect(below.length).toBeGreaterThan(0);
    process.kill(first.product.pid, "SIGKILL");
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);
    await using second = await startMcpScene(servers, { home: first.product.home });
    expect(await processesBelow(second.product.pid)).toEqual([]);
    expect(await second.use({ name: "session_status", arguments: {} })).not.toContain("mcp");
    expect(await processesBelow(second.product.pid)).toEqual([]);
    expect(await second.use(call)).toContain("ran ping");
  });

  test.runIf(process.platform === "linux")(
    "a server in a sandbox of its own sees its folder, not the owner's files, and has no network",
    async () => {
      const [list, secret] = [join(await folderOf(), "tools.json"), join(await folderOf(), "secret.txt")];
      await writeFile(list, JSON.stringify([{ name: "ping", inputSchema: { type: "object" } }]));
      await writeFile(secret, "mine");
      const root = fileURLToPath(new URL("../../../", import.meta.url));
      const script = [
        `test -e ${secret} && exit 1`,
        `touch ${root}/written 2>/dev/null && exit 1`,
        'cat /proc/net/route | grep -q "^[a-z]*[0-9]" && exit 1',
        `echo '[{"name":"ping","inputSchema":{"type":"object"}}]' >/tmp/tools.json`,
        `exec ${process.execPath} ${LIST_SERVER} /tmp/tools.json`,
      ].join("; ");
      await using scene = await startMcpScene({
        list: { command: "sh", args: ["-c", script], cwd: root, trusted: true, sandbox: { mode: "on" } },
      });
      expect(await scene.use({ name: "mcp__list_ping", arguments: {} })).toContain("ran ping");
      const outside = { list: { command: "sh", args: ["-c", script], cwd: root, trusted: true, sandbox: { mode: "off" } } };
      await using plain = await startMcpScene(outside);
      await plain.use({ name: "session_status", arguments: {} });
      expect((await runCommand(["status"], { home: plain.product.home })).stdout).toContain("The tools of mcp:list cannot be used");
    },
  );

  test("a server is added to a running gateway, used and removed again by commands", async () => {
    // As setup writes it.
    await using scene = await startMcpScene({}, { settings: { tools: { profile: ["coding", "messaging"] } } });
    const { home, pid } = scene.product;
    await scene.use({ name: "session_status", arguments: {} });
    const added = await runCommand(["mcp", "add", "files", "--trusted", "--", process.execPath, serverProgram("filesystem"), tmpdir()], {
      home,
    });
    expect(added).toMatchObject({ code: 0 });
    expect(added.stderr).toContain("The running gateway uses it from now on.");
    expect(await scene.use({ name: "mcp__files_list_allowed_directories", arguments: {} })).toContain(tmpdir());
    expect((await runCommand(["mcp", "list"], { home })).stdout).toMatch(/files +configuration +trusted +14 tools/);
    expect((await processesBelow(pid)).length).toBeGreaterThan(0);
    expect(await runCommand(["mcp", "remove", "files"], { home })).toMatchObject({ code: 0 });
    await expect.poll(async () => processesBelow(pid), { timeout: 20_000 }).toEqual([]);
    expect(await scene.use({ name: "mcp__files_list_allowed_directories", arguments: {} })).not.toContain("Allowed directories");
  });

  test("a list that changes leaves the requests of a session as they are", async () => {
    const list = join(await folderOf(), "tools.json");
    const write = async (...names: readonly string[]): Promise<void> =>
      writeFile(list, JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object" } }))));
    await write("ping");
    await using scene = await startMcpScene({ list: localServer(LIST_SERVER, [list], { trusted: true }) });
    await scene.use({ name: "mcp__list_ping", arguments: {} });
    await write("ping", "pong");
    await scene.use({ name: "mcp__list_ping", arguments: {} });
    await expect
      .poll(async () => (await runCommand(["tools", "list"], { home: scene.product.home })).stdout, { timeout: 60_000, interval: 1_000 })
      .toContain("mcp__list_pong");
    await scene.use({ name: "mcp__list_ping", arguments: {} });
    const sent = scene.model.requests.map(({ body }) => JSON.stringify([body?.["system"], body?.["tools"]]));
    expect(new Set(sent).size).toBe(1);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
