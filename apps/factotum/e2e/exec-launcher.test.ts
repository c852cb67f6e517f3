import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { productEntry, runCommand, startProduct } from "@factotum/testing-product";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const SECRET = "sk-canary-0123456789abcdef";
const app = path.dirname(path.dirname(productEntry));

/** The command as installed from the package: behind a link on the PATH. */
async function installed(): Promise<{ readonly entry: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-installed-"));
  const run = promisify(execFile);
  await run("pnpm", ["pack", "--pack-destination", folder], { cwd: app });
  const [archive = ""] = await readdir(folder);
  await run("tar", ["-xzf", archive], { cwd: folder });
  await mkdir(path.join(folder, "it's a bin"));
  const entry = path.join(folder, "it's a bin", "factotum");
  await symlink("../package/dist/factotum.mjs", entry);
  return { entry, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

test.each([
  ["from the tree", async () => ({ entry: productEntry, [Symbol.asyncDispose]: async () => undefined })],
  ["from the packed install", installed],
])(
  "a command of the model finds the factotum of its gateway, started %s with neither it nor its Node on the PATH",
  async (_name, place) => {
    await using build = await place();
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    model.respond(({ body }) =>
      JSON.stringify(body).includes('"tool_result"')
        ? sayText("Done.")
        : callTools({ name: "exec", arguments: { command: "factotum --version && factotum status --json && command -v factotum && env" } }),
    );
    await using product = await startProduct({
      entry: build.entry,
      env: { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: SECRET },
      config: {
        tools: { exec: { mode: "full" } },
        agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl } } },
      },
    });
    const { stdout } = await runCommand(["agent", "--message", "how are you?"], { home: product.home });
    expect(stdout).toBe("Done.\n");
    const result = JSON.stringify(model.requests.at(-1)?.body)
      .replaceAll(String.raw`\n`, "\n")
      .replaceAll(String.raw`\"`, '"');
    const { version } = JSON.parse(await readFile(path.join(app, "package.json"), "utf8")) as { version: string };
    expect(result).toContain(`"content":"${version}\n{`);
    expect(result).toContain(`"pid": ${product.pid}`);
    expect(result).toContain(`"home": "${product.home}"`);
    const launcher = path.join(product.home, "state/bin/factotum");
    expect(result).toContain(`\n${launcher}\n`);
    expect(result).toContain("\nPATH=" + path.dirname(launcher) + ":/usr/bin:/bin\n");
    // Neither the launcher nor the environment of a command contains a secret.
    for (const text of [result, await readFile(launcher, "utf8")])
      for (const secret of [SECRET, product.token]) expect(text).not.toContain(secret);
    expect(result).not.toContain("\nANTHROPIC_API_KEY=");
  },
);

test.runIf(process.platform === "linux")("a command gets no file that the launcher of the gateway has left open", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) =>
    JSON.stringify(body).includes('"tool_result"')
      ? sayText("Done.")
      : callTools({ name: "exec", arguments: { command: "ls -l /proc/self/fd /proc/$PPID/fd; echo listed" } }),
  );
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-inherited-"));
  // Node itself closes the lowest numbers.
  const entry = path.join(folder, "launch.mjs");
  const words = JSON.stringify(["bash", "-c", `exec 78<"$1"; shift; exec "$0" "$@"`, process.execPath, folder, productEntry]);
  await writeFile(entry, `process.execve("/bin/bash", [...${words}, ...process.argv.slice(2)], process.env);`);
  await using product = await startProduct({
    entry,
    env: { ANTHROPIC_API_KEY: SECRET },
    config: {
      tools: { exec: { mode: "full" } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl } } },
    },
  });
  await runCommand(["agent", "--message", "what is open?"], { home: product.home });
  const result = JSON.stringify(model.requests.at(-1)?.body);
  expect(result).toContain("listed");
  expect(result).not.toContain(folder);
  await rm(folder, { recursive: true });
});
