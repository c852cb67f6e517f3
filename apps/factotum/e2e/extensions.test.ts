import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { runCommand, startProduct, type CommandOutcome } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FAULTY_ENTRIES, writeExtension, writeInstalled } from "../test/extension-package.ts";
import { FakeLoft } from "../test/fake-loft.ts";

let home: string;
let loft: FakeLoft;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "factotum-extensions-"));
  loft = await FakeLoft.start();
});
afterEach(async () => {
  await loft[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const configOf = (): object => ({
  channels: { pigeon: { loft: loft.url, token: loft.token, dmPolicy: "open", allowFrom: ["*"] } },
});

test("a channel of a foreign package gets a message and sends the answer", async () => {
  await writeInstalled(home, [{}]);
  await using product = await startProduct({ home, config: configOf() });
  loft.write("carol", "Hello");
  await loft.waitForSent(1);
  expect(loft.sent[0]).toMatchObject({ to: "carol" });
  const status = await runCommand(["status"], { home });
  expect(status.stdout).toContain("channel    pigeon/default: connected");
  expect(product.output()).not.toContain(loft.token);
});

test.each(["folder", "tarball"])(
  "a package from a %s is installed, set up, used and removed while the gateway runs",
  { timeout: 300_000 },
  async (from) => {
    const source = path.join(home, "pigeon");
    await writeExtension(source);
    if (from === "tarball") await promisify(execFile)("npm", ["pack", "--pack-destination", home], { cwd: source });
    const spec = from === "tarball" ? path.join(home, "pigeon-post-1.0.0.tgz") : source;
    await using product = await startProduct({ home, config: {} });
    const run = async (...args: readonly string[]): Promise<CommandOutcome> =>
      runCommand(args, { home, env: { npm_config_offline: "true" } });
    expect(await run("plugins", "add", spec, "--yes")).toMatchObject({ code: 0 });
    const settings = [`loft=${loft.url}`, `token=${loft.token}`, "dmPolicy=open", 'allowFrom=["*"]'].flatMap((pair) => ["--set", pair]);
    expect(await run("channels", "add", "pigeon", ...settings)).toMatchObject({ code: 0 });
    loft.write("carol", "Hello");
    await loft.waitForSent(1);
    expect(loft.sent[0]).toMatchObject({ to: "carol" });
    expect((await run("channels", "status")).stdout).toContain("pigeon/default: connected");
    expect(await run("plugins", "remove", "pigeon")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("factotum channels remove pigeon") as string,
    });
    expect(await run("channels", "remove", "pigeon")).toMatchObject({ code: 0 });
    expect(await run("plugins", "remove", "pigeon")).toMatchObject({ code: 0 });
    expect((await run("channels", "status")).stdout).toMatch(/^webchat\/default: connected[^\n]*\n$/);
    expect(product.output()).not.toContain(loft.token);
  },
);

// The limit of an import, 10 s, is part of the last case.
test.each([
  ["missing export", "its entry does not export pigeonExtension"],
  ["throws", "its import failed (no wings)"],
  ["hangs", "its import did not end within 10 seconds"],
] as const)("with a package whose entry %s the rest keeps running, and status says why", { timeout: 300_000 }, async (fault, reason) => {
  await writeInstalled(home, [{ entry: FAULTY_ENTRIES[fault] }]);
  await using product = await startProduct({ home, config: configOf() });
  const deadline = performance.now() + 30_000;
  let status = "";
  while (!status.includes(reason) && performance.now() < deadline) status = (await runCommand(["status"], { home })).stdout;
  expect(status).toContain(
    `channel    pigeon/default: failed (channels.pigeon is off: the extension pigeon-post 1.0.0 cannot be loaded: ${reason}`,
  );
  expect(status).toContain("channel    webchat/default: connected");
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
});

test("packages of channels that are not configured are not imported", async () => {
  await writeInstalled(home, [{ entry: FAULTY_ENTRIES.throws }]);
  await using product = await startProduct({ home, config: {} });
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  expect(product.output()).not.toContain("no wings");
});
