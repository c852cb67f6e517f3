import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { statePaths } from "@factotum/config";
import { parse } from "plist";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { installService } from "../commands/gateway-service.ts";
import { plistText } from "./launchd-service.ts";
import { unitText } from "./systemd-service.ts";

/** A system program, if the system has it. */
const SYSTEMD_ANALYZE = "systemd-analyze";

const context: CliContext = {
  env: { FACTOTUM_CONFIG: "/c & d/factotum.json5" },
  paths: statePaths({ HOME: "/home/ann", FACTOTUM_HOME: `/home/ann/50% "odd" $HOME` }),
  version: "1",
  self: { file: "/opt/node $x", args: ["/opt/a b/factotum.mjs"] },
  platform: "linux",
  knownExtensions: {},
  print: () => undefined,
  note: () => undefined,
  signal: new AbortController().signal,
};

test("the unit quotes every path, and does not retry a start that cannot work", () => {
  const unit = unitText(context);
  expect(unit).toContain(String.raw`ExecStart="/opt/node $x" "/opt/a b/factotum.mjs" "gateway" "run" "--hide-token"`);
  expect(unit).toContain(String.raw`Environment="FACTOTUM_HOME=/home/ann/50%% \"odd\" $HOME"`);
  expect(unit).toContain(`Environment="FACTOTUM_CONFIG=/c & d/factotum.json5"`);
  expect(unit).toContain("RestartPreventExitStatus=2 4");
  // Others, as on a full disk, are retried without a limit.
  expect(unit).toMatch(/\[Unit\][^[]*\nStartLimitIntervalSec=0\n/);
  expect(unit).toContain("Restart=on-failure\nRestartSec=5\n");
});

test("systemd accepts the unit without a complaint for any paths, and complains about an invalid one", async ({ skip }) => {
  skip(spawnSync(SYSTEMD_ANALYZE, ["--version"]).status !== 0, "there is no systemd-analyze here: the unit is not shown to systemd");
  await using cli = await CliHome.create();
  // A program may not have quotes in its name; an environment variable may.
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
    // Other units of the machine may be in a bad state; complaints about ours name it.
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

test("the property list escapes special characters of XML", () => {
  const plist = plistText(context, "ai.factotum.gateway");
  expect(plist).toContain("<string>/c &amp; d/factotum.json5</string>");
  expect(plist).toContain("<string>/opt/a b/factotum.mjs</string>");
  expect(plist).not.toMatch(/&(?!amp;|lt;|gt;)/);
});

test("the property list is exactly as expected for a strict parser", () => {
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

/** The effect of starting a service. */
type OnStart = "starts nothing" | { readonly url: string };

/**
 * Puts a fake `systemctl`, or the program of another manager, first on the PATH; it records its calls, starts a service as `onStart` says and exits as told.
 */
async function fakeSystemctl(
  cli: CliHome,
  exitCode: number,
  { name = "systemctl", onStart = "starts nothing" }: { readonly name?: string; readonly onStart?: OnStart } = {},
): Promise<() => Promise<string[]>> {
  const folder = join(cli.home, "bin");
  const log = join(cli.home, `${name}.log`);
  await mkdir(folder);
  // In single quotes of the shell; each start reports its own time.
  const facts = (url: string): string =>
    JSON.stringify({ pid: process.pid, port: Number(new URL(url).port), url, startedAtMs: 0, version: "0" }).replace(
      '"startedAtMs":0',
      `"startedAtMs":'"$(date +%s%N)"'`,
    );
  const state = '"$FACTOTUM_HOME/state"';
  const start =
    onStart === "starts nothing"
      ? ""
      : `case "$*" in *restart*|bootstrap*) mkdir -p ${state}; echo '${facts(onStart.url)}' > ${state}/gateway.json;; esac\n`;
  const agent = name === "launchctl" ? loadedAgent(cli) : "";
  await writeFile(
    join(folder, name),
    `#!/bin/sh\necho "$@" >> "${log}"\n${agent}${start}[ ${exitCode} = 0 ] || echo "no bus" >&2\nexit ${exitCode}\n`,
  );
  await chmod(join(folder, name), 0o755);
  await writeFile(log, "");
  cli.env["PATH"] = `${folder}${delimiter}${cli.env["PATH"]}`;
  return async () => (await readFile(log, "utf8")).trim().split("\n");
}

/** Emulates launchd: a loaded agent cannot be loaded again, and unloading takes a moment. */
function loadedAgent(cli: CliHome): string {
  const [loaded, leaving] = [join(cli.home, "loaded"), join(cli.home, "leaving")].map((path) => `"${path}"`);
  return `case "$*" in
"print "*gateway)
  [ -e ${loaded} ] || exit 113
  echo "state = running"
  [ ! -e ${leaving} ] || rm ${leaving} ${loaded}
  exit 0;;
bootout*) touch ${leaving};;
bootstrap*)
  if [ -e ${loaded} ]; then echo "5: Input/output error" >&2; exit 5; fi
  touch ${loaded};;
esac
`;
}

/** A server that reports readiness, like the gateway of a service. */
async function startReady(): Promise<AsyncDisposable & { readonly url: string; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    // Not ready at the first check.
    response.writeHead(paths.length > 1 ? 200 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A service manager without a service: the gateway is stopped directly. */
async function fakeStop(cli: CliHome): Promise<void> {
  await writeFile(join(cli.home, "bin", "systemctl"), "#!/bin/sh\n");
  expect((await cli.run("gateway", "stop")).code).toBe(0);
}

test("install writes the unit and starts it, uninstall removes it, each once", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  const calls = await fakeSystemctl(cli, 0, { onStart: ready });
  const installed = await cli.run("gateway", "install", "--json");
  const { file, ...rest } = JSON.parse(installed.stdout) as { file: string };
  expect(rest).toEqual({ manager: "systemd", installed: true, url: ready.url, keys: [] });
  expect(ready.paths).toEqual(["/readyz", "/readyz"]);
  expect(file).toMatch(new RegExp(`^${cli.home}/.config/systemd/user/factotum-[0-9a-f]{8}\\.service$`));
  expect(await readFile(file, "utf8")).toContain(`FACTOTUM_HOME=${cli.factotumHome}`);
  const unit = file.split("/").at(-1);
  expect(await calls()).toEqual(["--user show-environment", "--user daemon-reload", `--user enable ${unit}`, `--user restart ${unit}`]);
  expect((await cli.run("gateway", "uninstall")).code).toBe(0);
  expect((await calls()).slice(4)).toEqual([`--user disable --now ${unit}`, "--user daemon-reload"]);
  expect(await readdir(join(cli.home, ".config/systemd/user"))).toEqual([]);
  expect((await cli.run("gateway", "uninstall")).stdout).toContain("not installed");
});

test("install over a running service restarts it, and waits for the new process", async () => {
  await using cli = await CliHome.create();
  await using first = await startReady();
  await using second = await startReady();
  const calls = await fakeSystemctl(cli, 0, { onStart: first });
  const { file } = JSON.parse((await cli.run("gateway", "install", "--json")).stdout) as { file: string };
  const unit = file.split("/").at(-1);
  const program = join(cli.home, "bin", "systemctl");
  await writeFile(program, (await readFile(program, "utf8")).replaceAll(first.url, second.url));
  const before = (await calls()).length;
  const again = await cli.run("gateway", "install", "--port", "18888", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ installed: true, url: second.url });
  expect(await readFile(file, "utf8")).toContain("FACTOTUM_PORT=18888");
  expect((await calls()).slice(before)).toEqual([
    "--user show-environment",
    "--user daemon-reload",
    `--user enable ${unit}`,
    `--user restart ${unit}`,
  ]);
});

test("install over a stopped service replaces a gateway that was started by hand", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  await fakeSystemctl(cli, 0, { onStart: ready });
  await cli.run("gateway", "install");
  const program = join(cli.home, "bin", "systemctl");
  await writeFile(program, (await readFile(program, "utf8")).replace("#!/bin/sh", '#!/bin/sh\ncase "$*" in *is-active*) exit 3;; esac'));
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await running.waitFor(/is ready/);
  expect((await cli.run("gateway", "install")).code).toBe(0);
  expect((await running.ended).code).toBe(0);
});

test("install over a launchd agent unloads it first", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  const calls = await fakeSystemctl(cli, 0, { name: "launchctl", onStart: ready });
  const mac: CliContext = { ...context, env: cli.env, paths: statePaths(cli.env), platform: "darwin" };
  expect(await installService(mac, { json: false, storeKeys: false })).toBe(0);
  const before = (await calls()).length;
  expect(await installService(mac, { json: false, storeKeys: false })).toBe(0);
  // Unloading takes a moment.
  const words = (await calls()).slice(before).map((call) => call.split(" ")[0]);
  expect(words.slice(-4)).toEqual(["bootout", "print", "print", "bootstrap"]);
});

test("a restart is left to systemd, which also ends a caller from within the service", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  await fakeSystemctl(cli, 0, { onStart: ready });
  cli.env["FACTOTUM_PORT"] = "0";
  await cli.run("gateway", "install");
  const first = cli.spawn("gateway", "run", "--setup");
  await first.waitFor(/is ready/);
  // Every process of the service ends, including the caller; then the service starts.
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
  await using ready = await startReady();
  await fakeSystemctl(cli, 0, { onStart: ready });
  cli.env["FACTOTUM_HOME"] = join(cli.home, ".factotum");
  await cli.run("gateway", "install");
  expect(await readdir(join(cli.home, ".config/systemd/user"))).toEqual(["factotum.service"]);
});

test("without a session of systemd nothing is left behind, and an alternative is named", async () => {
  await using cli = await CliHome.create();
  await fakeSystemctl(cli, 1);
  const result = await cli.run("gateway", "install");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("no bus");
  expect(result.stderr).toContain("factotum gateway start");
  expect(await readdir(cli.home)).not.toContain(".config");
});

test("a running gateway continues if systemd cannot take it over", async () => {
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

test("without a session of launchd nothing is left behind, and an alternative is named", async () => {
  await using cli = await CliHome.create();
  const calls = await fakeSystemctl(cli, 113, { name: "launchctl" });
  const mac: CliContext = { ...context, env: cli.env, paths: statePaths(cli.env), platform: "darwin" };
  await expect(installService(mac, { json: false, storeKeys: false })).rejects.toMatchObject({
    name: "CliError",
    message: expect.stringContaining("no bus") as string,
    fix: expect.stringContaining("factotum gateway start") as string,
  });
  expect(await calls()).toEqual([`print gui/${process.getuid?.()}`]);
  expect(await readdir(cli.home)).toEqual(["bin", "launchctl.log"]);
});

test("install passes the property list to launchd once its session was found", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  const calls = await fakeSystemctl(cli, 0, { name: "launchctl", onStart: ready });
  const mac: CliContext = { ...context, env: cli.env, paths: statePaths(cli.env), platform: "darwin" };
  expect(await installService(mac, { json: false, storeKeys: false })).toBe(0);
  const session = `gui/${process.getuid?.()}`;
  const folder = join(cli.home, "Library", "LaunchAgents");
  const [name = ""] = await readdir(folder);
  expect(await calls()).toEqual([
    `print ${session}`,
    `print ${session}/${name.replace(".plist", "")}`,
    `bootstrap ${session} ${join(folder, name)}`,
  ]);
});

test("the service gets the port of the gateway that it replaces, or the requested one", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  await fakeSystemctl(cli, 0, { onStart: ready });
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  const [, port] = await running.waitFor(/http:\/\/127\.0\.0\.1:(\d+)\//);
  const installed = JSON.parse((await cli.run("gateway", "install", "--json")).stdout) as { file: string };
  await running.ended;
  expect(await readFile(installed.file, "utf8")).toContain(`Environment="FACTOTUM_PORT=${port}"`);
  await cli.run("gateway", "install", "--port", "18888");
  expect(await readFile(installed.file, "utf8")).toContain('Environment="FACTOTUM_PORT=18888"');
  await cli.run("gateway", "install");
  expect(await readFile(installed.file, "utf8")).not.toContain("FACTOTUM_PORT");
});

test("a start does not take the port of the service, and says how to change it", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  const calls = await fakeSystemctl(cli, 0, { onStart: ready });
  await cli.run("gateway", "install");
  await rm(join(cli.factotumHome, "state/gateway.json"));
  const before = await calls();
  const { code, stderr } = await cli.run("gateway", "start", "--port", "18888");
  expect([code, stderr]).toEqual([2, expect.stringContaining("factotum gateway install --port 18888")]);
  expect(await calls()).toEqual(before);
});

test("keys of the environment are stored for the service if the person agrees, with the model that they selected", async () => {
  await using cli = await CliHome.create();
  await using ready = await startReady();
  await fakeSystemctl(cli, 0, { onStart: ready });
  await cli.run("setup");
  cli.env["GROQ_API_KEY"] = "gsk-0123456789abcdef";
  const questions: string[] = [];
  const answer = (yes: boolean) => async (question: string) => {
    questions.push(question);
    return yes;
  };
  const refused = await cli.runAsked(answer(false), "gateway", "install");
  expect(refused.stderr).toContain("factotum gateway install --store-keys");
  await expect(cli.read("credentials/groq")).rejects.toThrow("ENOENT");
  const kept = await cli.runAsked(answer(true), "gateway", "install");
  expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining("credentials/groq") as string });
  expect(questions).toHaveLength(2);
  expect(await cli.read("credentials/groq")).toBe("gsk-0123456789abcdef\n");
  expect((await stat(join(cli.factotumHome, "credentials/groq"))).mode & 0o777).toBe(0o600);
  expect((await cli.run("config", "get", "agents.defaults.model")).stdout).toBe("groq/openai/gpt-oss-120b\n");
  expect((await cli.runAsked(answer(true), "gateway", "install")).code).toBe(0);
  expect(questions).toHaveLength(2);
});
