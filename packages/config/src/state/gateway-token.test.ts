import { mkdir, readdir, stat, watch, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { temporaryHome } from "../../test/sample.ts";
import { ensureGatewayToken, readGatewayToken, replaceGatewayToken } from "./gateway-token.ts";
import { statePaths } from "./state-paths.ts";

test("creates one private token for concurrent starts", async () => {
  await using home = await temporaryHome();
  const paths = statePaths(home.env);
  expect(await readGatewayToken(paths)).toBeUndefined();
  const tokens = await Promise.all(Array.from({ length: 10 }, () => ensureGatewayToken(paths)));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).toMatch(/^[\w-]{43}$/);
  expect(await readGatewayToken(paths)).toBe(tokens[0]);
  expect((await stat(paths.gatewayTokenFile)).mode & 0o777).toBe(0o600);
  expect((await stat(paths.credentialsFolder)).mode & 0o777).toBe(0o700);
  expect(await readdir(paths.credentialsFolder)).toEqual(["gateway-token"]);
});

test("writes only through temporary file names", async () => {
  await using home = await temporaryHome();
  const paths = statePaths(home.env);
  await mkdir(paths.credentialsFolder, { recursive: true });
  const token = basename(paths.gatewayTokenFile);
  const events = watch(paths.credentialsFolder)[Symbol.asyncIterator]();
  const names: string[] = [];
  let event = events.next();
  await ensureGatewayToken(paths);
  while (names.at(-1) !== token) {
    const { value } = await event;
    names.push(value?.filename ?? "");
    event = events.next();
  }
  await events.return?.();
  expect(names.filter((name) => name !== token)).not.toEqual([]);
  for (const name of names.slice(0, -1)) expect(name).toMatch(/^\.factotum-\d+-[0-9a-f-]{36}\.tmp$/);
});

test("replaces the token privately", async () => {
  await using home = await temporaryHome();
  const paths = statePaths(home.env);
  const first = await ensureGatewayToken(paths);
  const second = await replaceGatewayToken(paths);
  expect(second).toMatch(/^[\w-]{43}$/);
  expect(second).not.toBe(first);
  expect(await ensureGatewayToken(paths)).toBe(second);
  expect((await stat(paths.gatewayTokenFile)).mode & 0o777).toBe(0o600);
});

test("ignores an empty file", async () => {
  await using home = await temporaryHome();
  const paths = statePaths(home.env);
  await ensureGatewayToken(paths);
  await writeFile(paths.gatewayTokenFile, "");
  expect(await ensureGatewayToken(paths)).toMatch(/^[\w-]{43}$/);
  expect(await readGatewayToken(paths)).toMatch(/^[\w-]{43}$/);
});

test("expands a tilde in FACTOTUM_HOME, and defaults to the user's home", () => {
  expect(statePaths({ HOME: "/u", FACTOTUM_HOME: "~/f" }).home).toBe("/u/f");
  expect(statePaths({ HOME: "/u" }).home).toBe("/u/.factotum");
  expect(statePaths({ HOME: "/u", FACTOTUM_HOME: " " }).home).toBe("/u/.factotum");
});
