import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";

const SHORT = "0123456789";
const LONG = "abcdefghijklmnopqrstuvwx";

const ask = async ({ url }: Product, token: string): Promise<number> =>
  (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status;

const tokenFile = async ({ home }: Product): Promise<string> =>
  (await readFile(path.join(home, "credentials", "gateway-token"), "utf8")).trim();

test("a gateway on the network ignores a token of 10 characters: it uses its own, and says so everywhere", async () => {
  await using product = await startProduct({ config: { gateway: { bind: "lan", auth: { token: SHORT } } } });
  expect(product.token).toMatch(/^[\w-]{43}$/);
  expect(await tokenFile(product)).toBe(product.token);
  expect([await ask(product, SHORT), await ask(product, product.token)]).toEqual([401, 200]);
  const { home } = product;
  const notice = "gateway.auth.token: it is not used";
  const [status, doctor, validate] = await Promise.all(
    [["status"], ["doctor"], ["config", "validate"]].map(async (command) => runCommand(command, { home })),
  );
  expect(status?.stdout).toContain(notice);
  expect(doctor?.stdout).toContain("factotum config unset gateway.auth.token");
  expect(validate?.stdout).toContain(notice);
  expect(validate?.code).toBe(0);
  const output = product.output();
  expect(output).toContain(`! ${notice}`);
  for (const text of [output, status?.stdout, doctor?.stdout, validate?.stdout]) expect(text).not.toContain(SHORT);
});

test("a token of 24 characters is used on the network, and one of 10 on loopback", async () => {
  for (const gateway of [{ bind: "lan", auth: { token: LONG } }, { auth: { token: SHORT } }]) {
    await using product = await startProduct({ config: { gateway } });
    expect(product.token).toBe(gateway.auth.token);
    expect(await ask(product, gateway.auth.token)).toBe(200);
    expect(product.output()).not.toContain("is not used");
    const { stdout } = await runCommand(["doctor"], { home: product.home });
    expect(stdout).not.toContain("is not used");
  }
});

test("setting a public address on a running gateway ends a short token at once, and is printed", async () => {
  await using product = await startProduct({ config: { gateway: { auth: { token: SHORT } } } });
  const { home, url } = product;
  expect(await ask(product, SHORT)).toBe(200);
  const set = await runCommand(["config", "set", "gateway.publicUrl", "https://assistant.example.com"], { home });
  expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining("! gateway.auth.token: it is not used") as string });
  expect(set.stderr).not.toContain("restart");
  const token = await tokenFile(product);
  expect([await ask(product, SHORT), await ask(product, token)]).toEqual([401, 200]);
  const started = await runCommand(["gateway", "start"], { home });
  expect(started.stdout).toBe(
    `The gateway was running already: ${url}/#token=${token}\nFrom outside: https://assistant.example.com/#token=${token}\n`,
  );
  expect((await runCommand(["config", "set", "gateway.auth.token", LONG], { home })).stderr).not.toContain("is not used");
  expect([await ask(product, token), await ask(product, LONG)]).toEqual([401, 200]);
});

test("a short token in the gateway's own file is replaced on the network only", async () => {
  const home = await mkdtemp(path.join(tmpdir(), "factotum-token-"));
  await mkdir(path.join(home, "credentials"), { mode: 0o700 });
  await writeFile(path.join(home, "credentials", "gateway-token"), `${SHORT}\n`, { mode: 0o600 });
  {
    const product = await startProduct({ home });
    expect(product.token).toBe(SHORT);
    await product.end("SIGTERM");
  }
  await using product = await startProduct({ home, config: { gateway: { bind: "lan" } } });
  expect(product.token).toMatch(/^[\w-]{43}$/);
  expect(await tokenFile(product)).toBe(product.token);
  expect(product.output()).toContain("another token was made");
  expect([await ask(product, SHORT), await ask(product, product.token)]).toEqual([401, 200]);
});
