import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CloneFixture } from "./clone-fixture.ts";

const INSTALL = "npx -y pnpm@1.2.3 install --frozen-lockfile CI=true";
const BUILD = "turbo run build --filter=factotum --output-logs=errors-only --ui=stream";
const PRINT_ENV = ["exec", "node", "-p", "JSON.stringify(process.env)"];

let clone: CloneFixture;
beforeEach(() => {
  clone = new CloneFixture();
});
afterEach(() => clone.remove());

describe("installing", () => {
  test("happens once, with the lock file unchanged, and without a question", async () => {
    expect(await clone.run(["exec", "node", "-p", "1 + 1"])).toMatchObject({ code: 0, stdout: "2\n" });
    expect(clone.calls()).toEqual([INSTALL]);
    expect(await clone.run(["exec", "node", "-p", "1 + 1"])).toMatchObject({ code: 0, stdout: "2\n", stderr: "" });
    expect(clone.calls()).toEqual([]);
  });

  test.each(["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "packages/one/package.json", "extensions/two/package.json"])(
    "happens again when %s changed",
    async (file) => {
      await clone.run(["exec", "true"]);
      clone.append(file, "\n");
      await clone.run(["exec", "true"]);
      expect(clone.calls()).toEqual([INSTALL, INSTALL]);
    },
  );

  test("happens again when a package is added, and not for a source", async () => {
    await clone.run(["exec", "true"]);
    clone.append("packages/one/src/index.ts", "// more\n");
    await clone.run(["exec", "true"]);
    expect(clone.calls()).toEqual([INSTALL]);
    clone.write("packages/three/package.json", "{}");
    await clone.run(["exec", "true"]);
    expect(clone.calls()).toEqual([INSTALL]);
  });

  test("that fails ends everything, and is tried again", async () => {
    const failed = await clone.run(["exec", "node", "-p", "'ran'"], { env: { NPX_EXIT: "7" } });
    expect(failed).toMatchObject({ code: 7, stdout: "" });
    expect(await clone.run(["exec", "node", "-p", "'ran'"])).toMatchObject({ code: 0, stdout: "ran\n" });
    expect(clone.calls()).toEqual([INSTALL, INSTALL]);
  });
});

describe("the environment of child processes", () => {
  const environmentOf = async (env: NodeJS.ProcessEnv): Promise<Record<string, string>> => {
    const { stdout } = await clone.run(PRINT_ENV, { env });
    return JSON.parse(stdout) as Record<string, string>;
  };

  test("keeps everything except npm's variables about its script", async () => {
    const environment = await environmentOf({
      npm_package_name: "factotum-workspace",
      npm_lifecycle_event: "start",
      npm_config_registry: "http://127.0.0.1:1/",
      FACTOTUM_HOME: "/somewhere",
      ANTHROPIC_API_KEY: "key",
    });
    expect(environment).toMatchObject({
      npm_config_registry: "http://127.0.0.1:1/",
      FACTOTUM_HOME: "/somewhere",
      ANTHROPIC_API_KEY: "key",
    });
    expect(Object.keys(environment).filter((name) => /^npm_(package|lifecycle)_/.test(name))).toEqual([]);
  });

  test("has no telemetry, and disables questions without a terminal", async () => {
    expect(await environmentOf({})).toMatchObject({ DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1", CI: "true" });
    expect((await environmentOf({ CI: "custom" }))["CI"]).toBe("custom");
  });

  test("finds Node and the installed commands first, each folder once", async () => {
    const path = (await environmentOf({ PATH: `${join(clone.root, "bin")}:/usr/bin:/bin:/usr/bin` }))["PATH"]?.split(":");
    expect(path?.slice(0, 3)).toEqual([join(process.execPath, ".."), join(clone.root, "node_modules/.bin"), join(clone.root, "bin")]);
    expect(path?.filter((folder) => folder === "/usr/bin")).toHaveLength(1);
  });
});

describe("Node", () => {
  const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})";
  const underNode20 = { nodeOptions: ["--import", old] };
  const installed = `node_modules/node-${process.platform}-${process.arch}/bin/node`;

  test("is the installed one", async () => {
    clone.script(installed, 'echo "installed $*"');
    expect(await clone.run(["test", "lint"], underNode20)).toMatchObject({
      code: 0,
      stdout: `installed ${join(clone.root, "scripts/gates.ts")} lint\n`,
    });
  });

  test("falls back to a recent one from PATH, and skips older ones", async () => {
    clone.script("old/node", "echo 24.15.0");
    clone.script("broken/node", "exit 1");
    clone.script("recent/node", '[ "$1" = -p ] && echo 24.16.0 || echo "recent $2"');
    const folders = ["old", "broken", "recent", "bin"].map((folder) => join(clone.root, folder));
    const env = { PATH: [...folders, "/bin"].join(":") };
    expect(await clone.run(["test", "lint"], { ...underNode20, env })).toMatchObject({ code: 0, stdout: "recent lint\n" });
  });

  test("otherwise runs nothing, and says how to get one", async () => {
    const env = { PATH: join(clone.root, "bin") };
    clone.script("bin/npx", "exit 0");
    const { code, stdout, stderr } = await clone.run(["test"], { ...underNode20, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/runs on Node 24\.16 or newer/);
    expect(stderr).toMatch(/20\.20\.2[^]*nvm install 24/);
  });
});

describe("the product", () => {
  test("is built once, and started with the arguments", async () => {
    const first = await clone.run(["start", "--port", "0"]);
    expect(first).toMatchObject({ code: 0, stdout: '["gateway","run","--setup","--port","0"]\n' });
    expect(clone.calls()).toEqual([INSTALL, BUILD]);
    expect(await clone.run(["factotum", "status"])).toMatchObject({ code: 0, stdout: '["status"]\n', stderr: "" });
    expect(clone.calls()).toEqual([]);
  });

  test("is built again for a source, not for a test or a document", async () => {
    await clone.run(["start"]);
    clone.calls();
    clone.write("packages/one/src/index.test.ts", "// a test\n");
    clone.write("packages/one/test/fake.ts", "// a fake\n");
    clone.write("docs/page.md", "text\n");
    await clone.run(["start"]);
    expect(clone.calls()).toEqual([]);
    clone.append("packages/one/src/index.ts", "// more\n");
    await clone.run(["start"]);
    expect(clone.calls()).toEqual([BUILD]);
  });

  test("does not start when the build fails, and is built again the next time", async () => {
    expect(await clone.run(["start"], { env: { TURBO_EXIT: "3" } })).toMatchObject({ code: 3, stdout: "" });
    expect(await clone.run(["start"])).toMatchObject({ code: 0 });
    expect(clone.calls()).toEqual([INSTALL, BUILD, BUILD]);
  });
});

describe("a command", () => {
  test("ends the bootstrap with its own code", async () => {
    expect(await clone.run(["exec", "sh", "-c", "exit 42"])).toMatchObject({ code: 42, signal: null });
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("receives %s, and may end in its own way", async (signal) => {
    const child = clone.start([
      "exec",
      "node",
      "-e",
      `process.on("${signal}", () => process.exit(9)); console.log("up"); setInterval(() => {}, 1e6)`,
    ]);
    const ended = clone.ended(child);
    await once(child.stdout ?? child, "data");
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 9, signal: null });
  });

  test("that was ended by a signal ends the bootstrap by the same", async () => {
    const child = clone.start(["exec", "node", "-e", 'console.log("up"); setInterval(() => {}, 1e6)']);
    const ended = clone.ended(child);
    await once(child.stdout ?? child, "data");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  test("that is missing is reported", async () => {
    const { code, stderr } = await clone.run(["exec", "no-such-command"]);
    expect(code).toBe(1);
    expect(stderr).toContain("no-such-command does not start");
  });

  test.each([[[]], [["exec"]], [["unknown"]]])("line %j is answered with the usage, and nothing is installed", async (args) => {
    const { code, stderr } = await clone.run(args);
    expect(code).toBe(1);
    expect(stderr).toContain("Usage: node scripts/bootstrap.mjs <command>");
    expect(clone.calls()).toEqual([]);
  });
});
