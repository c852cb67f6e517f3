import { chown, mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// The cache that all end-to-end tests share would replace the product's own.
beforeEach(() => void vi.stubEnv("NODE_COMPILE_CACHE", undefined));
afterEach(() => void vi.unstubAllEnvs());

/** Makes Node report how it uses each file of the cache. */
const TELL = { NODE_DEBUG_NATIVE: "COMPILE_CACHE" };

test("a start reuses code compiled by earlier ones, even after a kill, and keeps that of one build alone", async () => {
  await using first = await startProduct();
  const folder = path.join(first.home, "state", "code");
  await first.end("SIGKILL");
  const old = path.join(folder, "0123456789abcdef", "v24");
  await mkdir(old, { recursive: true });
  const second = await startProduct({ home: first.home });
  await expect.poll(async () => readdir(folder)).toEqual([expect.not.stringMatching("0123456789abcdef")]);
  await second.end("SIGKILL");
  const third = await startProduct({ home: first.home, env: TELL });
  await third.end("SIGKILL");
  const accepted = third.output().match(/code cache for ESM \S+ was accepted/g) ?? [];
  for (const chunk of ["/run-process-", "/gateway-run-"]) expect(accepted.some((line) => line.includes(chunk))).toBe(true);
  expect((await stat(path.dirname(folder))).mode & 0o777).toBe(0o700);
});

test("respects a user's own settings of Node's cache", async () => {
  await using first = await startProduct();
  await first.end("SIGKILL");
  const second = await startProduct({ home: first.home, env: { NODE_DISABLE_COMPILE_CACHE: "1" } });
  await second.end("SIGTERM");
  expect(await readdir(path.join(first.home, "state"))).not.toContain("code");
});

const ROOT = process.getuid?.() === 0;

test("a command stores its code, too, but not in the state directory of another account", async () => {
  await using product = await startProduct({ env: { NODE_DISABLE_COMPILE_CACHE: "1" } });
  await product.end("SIGTERM");
  const state = path.join(product.home, "state");
  if (ROOT) {
    await chown(state, 65_534, 65_534);
    await runCommand(["status"], { home: product.home });
    expect(await readdir(state)).not.toContain("code");
    await chown(state, 0, 0);
  }
  await runCommand(["status"], { home: product.home });
  expect(await readdir(state)).toContain("code");
});
