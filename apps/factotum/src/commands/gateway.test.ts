import { createServer } from "node:http";
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CliHome, type RunningCli } from "../../test/cli.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a gateway on a free port and waits for its address. */
async function startGateway(cli: CliHome): Promise<{ readonly running: RunningCli; readonly url: string; readonly token: string }> {
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  const match = await running.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/);
  return { running, url: match[1] ?? "", token: match[2] ?? "" };
}

describe("a gateway in the foreground", () => {
  test("sets itself up, prints its address, serves every command, and exits with 0 when it is stopped", async () => {
    await using cli = await CliHome.create();
    const { running, url, token } = await startGateway(cli);
    expect(token).toBe((await cli.read("credentials/gateway-token")).trim());
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const facts = JSON.parse(await cli.read("state/gateway.json")) as Record<string, unknown>;
    expect(facts).toMatchObject({ pid: running.child.pid, url });

    expect(JSON.parse((await cli.run("gateway", "status", "--json")).stdout)).toMatchObject({ running: true, url });
    const status = await cli.run("status", "--json");
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      running: true,
      url,
      home: cli.factotumHome,
      agents: [{ id: "main", model: "demo/demo" }],
    });
    expect((await cli.run("status")).stdout).toContain("agent      main: demo/demo");

    const answer = await cli.run("agent", "--message", "list the files", "--json");
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.stdout)).toEqual({
      sessionKey: "agent:main:main",
      runId: expect.any(String) as string,
      outcome: { type: "done" },
      text: expect.stringContaining("SOUL.md") as string,
      usage: expect.objectContaining({ total: expect.any(Number) as number }) as object,
    });
    const spoken = await cli.run("agent", "-m", "hello", "--session", "agent:main:cli:test");
    expect(spoken.code).toBe(0);
    expect(spoken.stdout.length).toBeGreaterThan(10);

    const stopped = await cli.run("gateway", "stop", "--json");
    expect(JSON.parse(stopped.stdout)).toEqual({ running: false, stopped: true });
    expect((await running.ended).code).toBe(0);
    expect((await cli.run("gateway", "stop")).stdout).toContain("was not running");
    const down = await cli.run("status", "--json");
    expect(down.code).toBe(3);
    expect(JSON.parse(down.stdout)).toMatchObject({
      running: false,
      sessionFiles: 2,
      commandPolicy: [expect.stringContaining("needs a decision"), expect.stringContaining("run in a sandbox")],
      config: { state: "valid" },
    });
  });

  test("continues when its output has no reader any more, and ends as usual", async () => {
    await using cli = await CliHome.create();
    const { running, url } = await startGateway(cli);
    running.child.stderr.destroy();
    expect((await cli.run("agent", "--message", "hello")).code).toBe(0);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    running.child.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });

  test("ends with 0 on a signal, leaves no runtime file, and starts again", async () => {
    await using cli = await CliHome.create();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const { running } = await startGateway(cli);
      running.child.kill(signal);
      expect((await running.ended).code).toBe(0);
      await expect(stat(join(cli.factotumHome, "state/gateway.json"))).rejects.toThrow("ENOENT");
    }
  });

  test("that hangs is said to run and not to answer, and answers again later", { timeout: 120_000 }, async () => {
    await using cli = await CliHome.create();
    const { running } = await startGateway(cli);
    const { pid = 0 } = running.child;
    process.kill(pid, "SIGSTOP");
    try {
      for (const args of [["status"], ["gateway", "stop"], ["sessions", "list"]])
        expect(await cli.run(...args)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`(process ${pid}) runs and does not answer`) as string,
        });
      expect((await cli.run("doctor")).stdout).toContain(`(process ${pid}) runs and does not answer`);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect((await cli.run("status")).code).toBe(0);
  });

  test("a wrong token is refused with an exit code of its own", async () => {
    await using cli = await CliHome.create();
    await startGateway(cli);
    cli.env["FACTOTUM_TOKEN"] = "wrong";
    const result = await cli.run("status");
    expect(result.code).toBe(5);
    expect(result.stderr).toContain("FACTOTUM_TOKEN is set to another token");
    expect(result.stderr).toContain("unset it");
    expect(result.stderr).not.toContain("gateway.auth.token");
    expect((await cli.run("agent", "-m", "x", "--json")).code).toBe(5);
    delete cli.env["FACTOTUM_TOKEN"];
    expect((await cli.run("status")).code).toBe(0);
  });

  test("an unknown agent is an error, not created", async () => {
    await using cli = await CliHome.create();
    await startGateway(cli);
    const result = await cli.run("agent", "-m", "x", "--agent", "nobody", "--json");
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { message: expect.stringContaining("nobody") as string } });
  });

  test("a taken port is named with a fix, and nothing stays open", async () => {
    await using cli = await CliHome.create();
    const other = createServer().listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as AddressInfo;
      const result = await cli.process("gateway", "run", "--setup", "--port", String(port));
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(`Port ${port} is taken`);
      expect(result.stderr).toContain("--port");
    } finally {
      other.close();
    }
  });

  test("applies a changed configuration while it runs, keeps the previous one if the new one is bad, and names keys that need a restart", async () => {
    await using cli = await CliHome.create();
    const { running } = await startGateway(cli);
    const set = await cli.run("config", "set", "agents.list", '[{ id: "main", identity: { name: "Ada" } }]');
    expect([set.code, set.stderr]).toEqual([0, "The running gateway uses it from now on.\n"]);
    const agents = async (): Promise<unknown> => (JSON.parse((await cli.run("status", "--json")).stdout) as { agents: unknown }).agents;
    expect(await agents()).toMatchObject([{ id: "main", name: "Ada" }]);
    expect((await cli.run("config", "set", "gateway.port", "4711")).stderr).toContain('gateway.port up with "factotum gateway restart"');
    expect((await cli.run("status")).stdout).toContain("! gateway.port: changed since the start");
    // Without a notification: the gateway watches the file.
    const file = join(cli.factotumHome, "factotum.json5");
    const good = await readFile(file, "utf8");
    await writeFile(file, good.slice(0, -4));
    await expect.poll(async () => (await cli.run("status")).stdout).toContain("(the file on disk is not what runs)");
    expect(await agents()).toMatchObject([{ name: "Ada" }]);
    expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
    await writeFile(file, good.replace("Ada", "Grace"));
    await expect.poll(agents).toMatchObject([{ name: "Grace" }]);
    running.child.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });

  test("applies another token at once: commands find it, the old one is refused, and its connections are cut off", async () => {
    await using cli = await CliHome.create();
    const { running, url, token } = await startGateway(cli);
    const get = async (given: string): Promise<number> =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${given}` } })).status;
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    const frame = { type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "page", version: "1" }, auth: { token } };
    socket.addEventListener("open", () => socket.send(JSON.stringify(frame)));
    await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
    const set = await cli.run("config", "set", "gateway.auth.token", "my-own-token");
    expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining("uses it from now on") as string });
    expect(set.stderr).toContain("factotum gateway start");
    expect(set.stdout + set.stderr).not.toContain("my-own-token");
    expect(await closed).toBe(4401);
    expect([await get(token), await get("my-own-token")]).toEqual([401, 200]);
    const status = await cli.run("status");
    expect(status.code).toBe(0);
    expect(status.stdout).not.toContain("factotum gateway restart");
    expect((await cli.run("gateway", "start")).stdout).toBe(`The gateway was running already: ${url}/#token=my-own-token\n`);
    // An unusable token, or one without a value here, is not applied; the previous one stays.
    for (const unusable of ["two words", "${NOWHERE_SET}"]) {
      expect((await cli.run("config", "set", "gateway.auth.token", unusable)).stderr).toContain("does not use it");
      expect(await get("my-own-token")).toBe(200);
    }
    cli.env["FACTOTUM_TOKEN"] = "my-own-token";
    expect((await cli.run("config", "unset", "gateway.auth.token")).code).toBe(0);
    delete cli.env["FACTOTUM_TOKEN"];
    await expect.poll(async () => get(token)).toBe(200);
    expect((await cli.run("status")).code).toBe(0);
    expect(await cli.read("logs/gateway.log")).not.toContain("my-own-token");
    running.child.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });

  test("a second gateway on the same state directory is refused on any port, and the first one continues", async () => {
    await using cli = await CliHome.create();
    const { running, url } = await startGateway(cli);
    const second = await cli.process("gateway", "run", "--port", "0");
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(url);
    expect(second.stderr).toMatch(new RegExp(`Open its page: ${RegExp.escape(url)}/#token=\\S+\nStop it with "factotum gateway stop"`));
    expect(second.stderr).toContain("FACTOTUM_HOME");
    expect((await cli.process("gateway", "run", "--port", "0", "--hide-token")).stderr).toContain(`Open its page: ${url}/\n`);
    expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
    expect((await cli.run("status")).code).toBe(0);

    running.child.kill("SIGKILL");
    await running.ended;
    await startGateway(cli);
    expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
  });

  test("is not found, and not stopped, from a copy of its state directory; from a link to it, it is", async () => {
    await using cli = await CliHome.create();
    const { running, url } = await startGateway(cli);
    const original = cli.factotumHome;
    const copy = join(cli.home, "copy");
    await cp(original, copy, { recursive: true });
    cli.env["FACTOTUM_HOME"] = copy;
    expect(await cli.run("gateway", "stop")).toMatchObject({ code: 0, stdout: "The gateway was not running.\n" });
    expect((await cli.run("status")).code).toBe(3);
    expect((await cli.run("gateway", "status")).code).toBe(3);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const link = join(cli.home, "link");
    await symlink(original, link);
    cli.env["FACTOTUM_HOME"] = link;
    expect((await cli.run("gateway", "stop")).stdout).toBe("The gateway has stopped.\n");
    expect((await running.ended).code).toBe(0);
  });

  test("a missing configuration: its last good copy runs, everything says so, and it is not replaced", async () => {
    await using cli = await CliHome.create();
    await mkdir(cli.factotumHome, { recursive: true });
    const file = join(cli.factotumHome, "factotum.json5");
    const copy = join(cli.factotumHome, "state/config.last-good.json5");
    await writeFile(file, "{ tools: { exec: { mode: 'deny' } } }");
    const first = await startGateway(cli);
    first.running.child.kill("SIGTERM");
    await first.running.ended;
    await rm(file);
    const told = `${file} is not there any more, and its last good copy holds. Put it back with cp "${copy}" "${file}"`;
    for (const [code, ...command] of [
      [4, "config", "validate"],
      [1, "doctor"],
      [3, "status"],
      [0, "setup"],
      [4, "config", "set", "gateway.port", "1"],
    ] as const) {
      const { stdout, stderr, code: ended } = await cli.run(...command);
      expect({ command, ended, text: stdout + stderr }).toEqual({
        command,
        ended: code,
        text: expect.stringContaining(command[0] === "setup" ? "last good copy holds" : told) as string,
      });
    }
    const { running } = await startGateway(cli);
    const status = JSON.parse((await cli.run("status", "--json")).stdout) as { config: { problems: string[]; commandPolicy: string[] } };
    expect(status.config.problems[0]).toContain(told);
    expect(status.config.commandPolicy[0]).toContain("no commands run");
    expect((await cli.run("status")).stdout).toContain(`! ${told}`);
    await expect(stat(file)).rejects.toThrow("ENOENT");
    running.child.kill("SIGTERM");
    expect((await running.ended).stderr).toContain(`factotum: ${file} is not there any more. The gateway runs with the last good copy`);
    expect(await cli.read("logs/gateway.log")).toContain("is not there any more");
    cli.env["FACTOTUM_CONFIG"] = join(cli.factotumHome, "typo.json5");
    for (const command of [["gateway", "run", "--port", "0"], ["setup"]]) {
      const refused = await cli.process(...command);
      expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("Correct FACTOTUM_CONFIG") as string });
      expect(refused.stderr).toContain(copy);
    }
  });

  test("a bad configuration: refused without a good copy, else the last good one runs and says so", async () => {
    await using cli = await CliHome.create();
    await mkdir(cli.factotumHome, { recursive: true });
    const file = join(cli.factotumHome, "factotum.json5");
    await writeFile(file, "{ gateway: ");
    const refused = await cli.process("gateway", "run", "--setup", "--port", "0");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("factotum.json5");
    await writeFile(file, "{ agents: { list: [{ id: 'known' }] } }");
    const first = await startGateway(cli);
    first.running.child.kill("SIGTERM");
    await first.running.ended;
    await writeFile(file, "{ gateway: ");
    const { running } = await startGateway(cli);
    const status = JSON.parse((await cli.run("status", "--json")).stdout) as {
      agents: { id: string }[];
      config: { fileHash: string; runningHash: string; problems: string[] };
    };
    expect(status.agents.map(({ id }) => id)).toEqual(["known"]);
    expect(status.config.fileHash).not.toBe(status.config.runningHash);
    expect(status.config.problems.length).toBeGreaterThan(0);
    expect((await cli.run("status")).stdout).toContain("is not what runs");
    expect(await cli.run("gateway", "start")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${file} cannot be used. The gateway runs with the last good copy`) as string,
    });
    expect(await cli.run("gateway", "restart")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`${file} cannot be used`) as string,
    });
    expect((await cli.run("gateway", "status")).code).toBe(0);
    running.child.kill("SIGTERM");
    expect((await running.ended).stderr).toContain("last good copy");
  });

  test.each([
    ["--bind", "everywhere"],
    ["--bind", "lan"],
  ])("%s %s without authentication, or with an invalid value, is a usage error", async (...args) => {
    await using cli = await CliHome.create();
    await mkdir(cli.factotumHome, { recursive: true });
    await writeFile(join(cli.factotumHome, "factotum.json5"), "{ gateway: { auth: { mode: 'none' } } }");
    expect((await cli.process("gateway", "run", "--port", "0", ...args)).code).toBe(2);
  });
});

describe("a gateway in the background", () => {
  test("starts at the requested port, and is not reported as running while it runs at another", async () => {
    await using cli = await CliHome.create();
    await cli.run("setup");
    const port = await freePort();
    try {
      const started = await cli.run("gateway", "start", "--port", String(port), "--json");
      expect(JSON.parse(started.stdout)).toMatchObject({ running: true, port });
      for (const same of [String(port), "0"])
        expect(await cli.run("gateway", "start", "--port", same)).toMatchObject({
          code: 0,
          stdout: expect.stringContaining("was running already") as string,
        });
      const other = await cli.run("gateway", "start", "--port", String(port === 1025 ? 1026 : 1025));
      expect(other).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(new RegExp(`runs already, at http://127\\.0\\.0\\.1:${port}[^]*gateway stop`)) as string,
      });
    } finally {
      await cli.run("gateway", "stop");
    }
    expect((await cli.run("gateway", "stop", "--port", "1")).code).toBe(2);
  });

  test("starts, is found, restarts as another process, stops", async () => {
    await using cli = await CliHome.create();
    cli.env["FACTOTUM_PORT"] = "0";
    await cli.run("setup");
    const started = await cli.run("gateway", "start", "--json");
    expect(started).toMatchObject({ code: 0 });
    const { pid } = JSON.parse(started.stdout) as { pid: number };
    expect(JSON.parse((await cli.run("gateway", "start", "--json")).stdout)).toMatchObject({ pid });
    const token = (await cli.read("credentials/gateway-token")).trim();
    expect((await cli.run("gateway", "start")).stdout).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+/#token=${token}\n$`));
    const restarted = JSON.parse((await cli.run("gateway", "restart", "--json")).stdout) as { pid: number };
    expect(restarted.pid).not.toBe(pid);
    expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
    expect((await cli.run("gateway", "stop")).code).toBe(0);
    expect(isProcessAlive(restarted.pid)).toBe(false);
    const log = join(cli.factotumHome, "logs/gateway.log");
    expect((await stat(log)).mode & 0o777).toBe(0o600);
    expect(await readFile(log, "utf8")).toContain("is ready");
    for (const name of ["gateway.log", "gateway.out"])
      expect(await readFile(join(cli.factotumHome, "logs", name), "utf8")).not.toContain(token);
  });

  test("restarts when a command of its own asks for it, as a process independent of that command, with the gateway's own environment", async () => {
    await using cli = await CliHome.create();
    Object.assign(cli.env, { FACTOTUM_PORT: "0", MODEL_KEY: "a-key-of-its-own" });
    await cli.run("setup");
    const { pid } = JSON.parse((await cli.run("gateway", "start", "--json")).stdout) as { pid: number };
    const before = cli.env;
    const { MODEL_KEY: _onlyTheGateways, ...passed } = before;
    cli.env = { ...passed, FACTOTUM_CHILD: "00000000-0000-4000-8000-000000000000" };
    expect(JSON.parse((await cli.run("gateway", "restart", "--json")).stdout)).toEqual({ restarting: true });
    cli.env = before;
    const now = async (): Promise<number | undefined> =>
      (JSON.parse((await cli.run("gateway", "status", "--json")).stdout) as { pid?: number }).pid;
    await expect.poll(now).toSatisfy((found) => found !== undefined && found !== pid);
    if (process.platform === "linux") {
      const environment = await readFile(`/proc/${await now()}/environ`, "latin1");
      expect(environment).not.toContain("FACTOTUM_CHILD");
      expect(environment).toContain("MODEL_KEY=a-key-of-its-own");
    }
    expect((await cli.run("gateway", "stop")).code).toBe(0);
  });

  test("that cannot start shows the end of its log", async () => {
    await using cli = await CliHome.create();
    await mkdir(cli.factotumHome, { recursive: true });
    await writeFile(join(cli.factotumHome, "factotum.json5"), "{ gateway: { port: 'x' } }");
    const result = await cli.run("gateway", "start");
    expect(result.code).toBe(4);
    expect(result.stderr).toContain("exit code 4");
    expect(result.stderr).toContain("gateway.port");
  });
});
