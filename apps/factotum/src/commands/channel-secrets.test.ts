import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GatewayStatus } from "@factotum/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { writeInstalled } from "../../test/extension-package.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";
import { FakeLoft } from "../../test/fake-loft.ts";
import { statusSample } from "../../test/status-sample.ts";
import type { Finding } from "../doctor/finding.ts";

let home: CliHome;
let loft: FakeLoft;
beforeEach(async () => {
  home = await CliHome.create();
  loft = await FakeLoft.start();
  home.env["FACTOTUM_PORT"] = "0";
  await writeInstalled(home.factotumHome, [{}]);
  await home.run("setup", "--non-interactive");
});
afterEach(async () => {
  await loft[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const configure = async (channels: object): Promise<void> => {
  await mkdir(home.factotumHome, { recursive: true });
  await writeFile(join(home.factotumHome, "factotum.json5"), JSON.stringify({ channels }), { mode: 0o600 });
};
const keep = async (name: string, secret: string): Promise<void> => {
  await mkdir(join(home.factotumHome, "credentials"), { recursive: true, mode: 0o700 });
  await writeFile(join(home.factotumHome, "credentials", name), secret, { mode: 0o600 });
};
/** By a process of its own if a process is the gateway: doctor asks only one of its own version. */
const findings = async (check: string, run: "run" | "process" = "run"): Promise<readonly Finding[]> => {
  const report = JSON.parse((await home[run]("doctor", "--json")).stdout) as { readonly findings: readonly Finding[] };
  return report.findings.filter((finding) => finding.check === check && finding.level !== "ok");
};

test("a secret that was replaced while the gateway runs is named by probe, status and doctor, and never shown", async () => {
  await keep("loft", "old-canary-token\n");
  await configure({ pigeon: { loft: loft.url, token: { file: "credentials/loft" } } });
  await home.spawn("gateway", "run").waitFor(/#token=/);
  expect((await home.run("status")).stdout).not.toContain("was replaced");
  await keep("loft", `${loft.token}\n`);
  const probe = await home.run("channels", "probe", "pigeon");
  expect(probe).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("still uses the secret from before: run factotum gateway") as string,
  });
  const status = await home.run("status");
  expect(status.stdout).toContain('! its secret was replaced since it was started; run "factotum gateway restart"');
  expect((await home.run("channels", "status")).stdout).toContain("its secret was replaced");
  expect(await findings("channel-secret", "process")).toMatchObject([
    { message: expect.stringContaining("pigeon/default still uses") as string },
  ]);
  const json = await home.run("status", "--json");
  const { channels } = JSON.parse(json.stdout) as GatewayStatus;
  expect(channels.map(({ channel, hasOldSecret }) => [channel, hasOldSecret])).toContainEqual(["pigeon", true]);
  for (const { stdout, stderr } of [probe, status, json]) expect(`${stdout}${stderr}`).not.toContain("canary");
  // The same secret again.
  await keep("loft", "old-canary-token");
  expect((await home.run("status")).stdout).not.toContain("was replaced");
});

test("accounts with one login are named at the start, in status, by doctor and by validate", async () => {
  await keep("loft", loft.token);
  const token = { file: "credentials/loft" };
  const accounts = { one: { loft: loft.url, token }, two: { loft: loft.url, token: loft.token }, other: { loft: loft.url, token: "else" } };
  await configure({ pigeon: { accounts } });
  const told = "channels.pigeon.accounts.two: it has the same login as the account one, so that one of the two misses messages";
  await home.spawn("gateway", "run").waitFor(new RegExp(`^! ${told}`, "m"));
  expect((await home.run("status")).stdout).toContain(`! ${told}`);
  expect((await home.run("config", "validate")).stdout).toContain(told);
  expect(await findings("shared-login")).toMatchObject([{ message: `${told}.` }]);
  await configure({ pigeon: { accounts: { ...accounts, two: { ...accounts.two, enabled: false } } } });
  expect(await findings("shared-login")).toEqual([]);
});

test("doctor reports a missing secret once, with the advice for it", async () => {
  await configure({ pigeon: { loft: loft.url, token: { env: "LOFT_TOKEN" } } });
  const text = "pigeon/default could not be started: channels.pigeon is off: token: the environment variable LOFT_TOKEN is not set.";
  const results: Record<string, unknown> = {
    status: statusSample({ channels: [{ channel: "pigeon", accountId: "default", state: "failed" }] }),
    "warnings.list": { warnings: [{ id: "channel:pigeon/default", level: "error", text }] },
  };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method) => results[method],
  });
  expect(await findings("channel")).toMatchObject([
    {
      message: expect.stringContaining("pigeon/default stays off: token:") as string,
      fix: expect.stringContaining("set the variables") as string,
    },
  ]);
  home.env["LOFT_TOKEN"] = "x";
  expect(await findings("channel")).toMatchObject([{ message: text }]);
});
