import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { statePaths } from "@factotum/config";
import { parse } from "plist";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { gatewayService } from "../commands/gateway-service.ts";
import { plistText } from "./launchd-service.ts";
import { unitText } from "./systemd-service.ts";

/** A program of the system, where it has one. */
const SYSTEMD_ANALYZE = "systemd-analyze";

const context: CliContext = {
  env: { FACTOTUM_CONFIG: "/c & d/factotum.json5" },
  paths: statePaths({ HOME: "/home/ann", FACTOTUM_HOME: `/home/ann/50% "odd" $HOME` }),
  version: "1",
  self: { file: "/opt/node $x", args: ["/opt/a b/factotum.mjs"] },
  platform: "linux",
  print: () => undefined,
  note: () => undefined,
  signal: new AbortController().signal,
};

test("the unit quotes every path, and does not repeat a start that cannot work", () => {
  const unit = unitText(context);
  expect(unit).toContain(String.raw`ExecStart="/opt/node $x" "/opt/a b/factotum.mjs" "gateway" "run" "--hide-token"`);
  expect(unit).toContain(String.raw`Environment="FACTOTUM_HOME=/home/ann/50%% \"odd\" $HOME"`);
  expect(unit).toContain(`Environment="FACTOTUM_CONFIG=/c & d/factotum.json5"`);
  expect(unit).toContain("RestartPreventExitStatus=2 4");
});

test("systemd takes the unit without a complaint, whatever the paths hold, and complains of one that is wrong", async ({ skip }) => {
  skip(spawnSync(SYSTEMD_ANALYZE, ["--version"]).status !== 0, "there is no systemd-analyze here: the unit is not shown to systemd");
  await using cli = await CliHome.create();
  // A program may not have quotes in its name; a variable of the environment may.
  const folder = join(cli.home, "odd 50% $HOME");
  await mkdir(folder);
  const program = join(folder, "factotum");
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, 0o755);
  const unit = unitText({ ...context, self: { file: program, args: ["a b", "$x", "%n", String.raw`c\d`] } });
  const verify = async (text: string): Promise<{ readonly status: number | null; readonly said: string }> => {
    const file = join(cli.home, "factotum.service");
    await writeFile(file, text);
    const { status, stdout, stderr } = spawnSync(SYSTEMD_ANALYZE, ["--user", "verify", file], {
      env: { PATH: process.env["PATH"], HOME: cli.home, XDG_RUNTIME_DIR: cli.home },
      encoding: "utf8",
    });
    // Other units of the machine may be in a bad state; what is said of ours names it.
    return {
      status,
      said: (stdout + stderr)
        .split("\n")
        .filter((line) => line.includes("factotum.service"))
        .join("\n"),
    };
  };
  expect(await verify(unit)).toEqual({ status: 0, said: "" });
  expect((await verify(unit.replace("KillMode=mixed", "KillMode=mix"))).said).toMatch(/kill ?mode/i);
  expect((await verify(unit.replace("RestartSec", "RestartSecs"))).said).toContain("RestartSecs");
  expect((await verify(unit.replace(/ExecStart="[^"]*/, 'ExecStart="/no/such'))).said).toContain("/no/such");
});

test("the property list escapes what XML reads otherwise", () => {
  const plist = plistText(context, "ai.factotum.gateway");
  expect(plist).toContain("<string>/c &amp; d/factotum.json5</string>");
  expect(plist).toContain("<string>/opt/a b/factotum.mjs</string>");
  expect(plist).not.toMatch(/&(?!amp;|lt;|gt;)/);
});

test("the property list holds exactly what launchd is to know, as a strict reader takes it", () => {
  const odd: CliContext = { ...context, self: { file: "/opt/node <x>", args: ["/opt/a & b/]]>/factotum.mjs", ""] } };
  expect(parse(plistText(odd, "ai.factotum.gateway"))).toEqual({
    Label: "ai.factotum.gateway",
    ProgramArguments: ["/opt/node <x>", "/opt/a & b/]]>/factotum.mjs", "", "gateway", "run", "--hide-token", "--quiet"],
    EnvironmentVariables: { FACTOTUM_HOME: odd.paths.home, FACTOTUM_CONFIG: "/c & d/factotum.json5" },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: 40,
    Umask: 0o77,
    StandardOutPath: odd.paths.outputFile,
    StandardErrorPath: odd.paths.outputFile,
  });
  expect(() => parse(plistText(odd, "ai.factotum.gateway").replace("</dict>", ""))).toThrow();
});

/** Puts a `systemctl`, or the program of another manager, first on the PATH that writes down how it was called and ends as told. */
async function fakeSystemctl(cli: CliHome, exitCode: number, name = "systemctl"): Promise<() => Promise<string[]>> {
  const folder = join(cli.home, "bin");
  const log = join(cli.home, `${name}.log`);
  await mkdir(folder);
  await writeFile(join(folder, name), `#!/bin/sh\necho "$@" >> "${log}"\n[ ${exitCode} = 0 ] || echo "no bus" >&2\nexit ${exitCode}\n`);
  await chmod(join(folder, name), 0o755);
  await writeFile(log, "");
  cli.env["PATH"] = `${folder}${delimiter}${cli.env["PATH"]}`;
  return async () => (await readFile(log, "utf8")).trim().split("\n");
}

/** A service manager that has nothing to do: the gateway is told directly. */
async function fakeStop(cli: CliHome): Promise<void> {
  await writeFile(join(cli.home, "bin", "systemctl"), "#!/bin/sh\n");
  expect((await cli.run("gateway", "stop")).code).toBe(0);
}

test("install writes the unit and starts it, uninstall takes it away, each once", async () => {
  await using cli = await CliHome.create();
  const calls = await fakeSystemctl(cli, 0);
  const installed = await cli.run("gateway", "install", "--json");
  const { file } = JSON.parse(installed.stdout) as { file: string };
  expect(file).toMatch(new RegExp(`^${cli.home}/.config/systemd/user/factotum-[0-9a-f]{8}\\.service$`));
  expect(await readFile(file, "utf8")).toContain(`FACTOTUM_HOME=${cli.factotumHome}`);
  const unit = file.split("/").at(-1);
  expect(await calls()).toEqual(["--user show-environment", "--user daemon-reload", `--user enable --now ${unit}`]);
  expect((await cli.run("gateway", "uninstall")).code).toBe(0);
  expect((await calls()).slice(3)).toEqual([`--user disable --now ${unit}`, "--user daemon-reload"]);
  expect(await readdir(join(cli.home, ".config/systemd/user"))).toEqual([]);
  expect((await cli.run("gateway", "uninstall")).stdout).toContain("not installed");
});

test("a restart is left to systemd, which ends whatever asks for it from within the service", async () => {
  await using cli = await CliHome.create();
  await fakeSystemctl(cli, 0);
  cli.env["FACTOTUM_PORT"] = "0";
  await cli.run("gateway", "install");
  const first = cli.spawn("gateway", "run", "--setup");
  await first.waitFor(/is ready/);
  // Everything of the service ends, whoever called included; then the service starts.
  const entry = fileURLToPath(new URL("../factotum.ts", import.meta.url));
  const restart = `kill ${first.child.pid}; kill -9 $PPID; while kill -0 ${first.child.pid} 2>/dev/null; do sleep 0.1; done
exec "${process.execPath}" --conditions=factotum-source "${entry}" gateway run --quiet >/dev/null 2>&1`;
  await writeFile(join(cli.home, "bin", "systemctl"), `#!/bin/sh\ncase "$2" in\nrestart) ${restart};;\nstop) kill -9 $PPID;;\nesac\n`);
  expect((await cli.process("gateway", "restart")).code).toBeNull();
  await first.ended;
  const facts = async (): Promise<{ pid?: number }> =>
    JSON.parse((await cli.run("gateway", "status", "--json")).stdout) as { pid?: number };
  await expect.poll(async () => (await facts()).pid ?? first.child.pid, { timeout: 60_000 }).not.toBe(first.child.pid);
  await fakeStop(cli);
});

test("the default state directory has the plain name", async () => {
  await using cli = await CliHome.create();
  await fakeSystemctl(cli, 0);
  cli.env["FACTOTUM_HOME"] = join(cli.home, ".factotum");
  await cli.run("gateway", "install");
  expect(await readdir(join(cli.home, ".config/systemd/user"))).toEqual(["factotum.service"]);
});

test("without a session of systemd nothing is left behind, and another way is named", async () => {
  await using cli = await CliHome.create();
  await fakeSystemctl(cli, 1);
  const result = await cli.run("gateway", "install");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("no bus");
  expect(result.stderr).toContain("factotum gateway start");
  expect(await readdir(cli.home)).not.toContain(".config");
});

test("a gateway that runs is left running when systemd cannot take it over", async () => {
  await using cli = await CliHome.create();
  const calls = await fakeSystemctl(cli, 1);
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  const [, url] = await running.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\//);
  const result = await cli.run("gateway", "install");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("no bus");
  expect(result.stderr).toContain("factotum gateway start");
  expect(await calls()).toEqual(["--user show-environment"]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await readdir(cli.home)).not.toContain(".config");
});

test("without a session of launchd nothing is left behind, and another way is named", async () => {
  await using cli = await CliHome.create();
  const calls = await fakeSystemctl(cli, 113, "launchctl");
  const mac: CliContext = { ...context, env: cli.env, paths: statePaths(cli.env), platform: "darwin" };
  await expect(gatewayService(mac, "install", { json: false })).rejects.toMatchObject({
    name: "CliError",
    message: expect.stringContaining("no bus") as string,
    fix: expect.stringContaining("factotum gateway start") as string,
  });
  expect(await calls()).toEqual([`print gui/${process.getuid?.()}`]);
  expect(await readdir(cli.home)).toEqual(["bin", "launchctl.log"]);
});

test("install hands the property list to launchd once its session was found", async () => {
  await using cli = await CliHome.create();
  const calls = await fakeSystemctl(cli, 0, "launchctl");
  const mac: CliContext = { ...context, env: cli.env, paths: statePaths(cli.env), platform: "darwin" };
  expect(await gatewayService(mac, "install", { json: false })).toBe(0);
  const session = `gui/${process.getuid?.()}`;
  const folder = join(cli.home, "Library", "LaunchAgents");
  const [name = ""] = await readdir(folder);
  expect(await calls()).toEqual([`print ${session}`, `bootstrap ${session} ${join(folder, name)}`]);
});
