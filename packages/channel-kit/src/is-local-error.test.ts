import { openAsBlob } from "node:fs";
import { createRequire } from "node:module";
import { readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isLocalError } from "./is-local-error.ts";

async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

test.each<[string, () => unknown]>([
  ["a bug", () => (undefined as unknown as { name: string }).name],
  ["a name that does not exist", () => (globalThis as unknown as { f: () => void })["f"]()],
  ["a wrong argument of Node", () => Buffer.from(7 as unknown as string)],
  ["a module that is missing", async () => import(String("./no-such-module.ts"))],
  ["a package that is missing", () => createRequire(import.meta.url)("no-such-package")],
  ["an address that is none", async () => fetch("no address")],
  ["a header that cannot be sent", async () => fetch("http://127.0.0.1/", { headers: { a: "ü€" } })],
  ["a file that is not there", async () => readFile(path.join(tmpdir(), "factotum", "is not there"))],
  ["a folder in place of a file", async () => readFile(tmpdir())],
  [
    "a file that changed after it was opened",
    async () => {
      const file = path.join(tmpdir(), `factotum-changed-${process.pid}`);
      await writeFile(file, "first");
      const blob = await openAsBlob(file);
      await writeFile(file, "something longer");
      try {
        await blob.text();
      } finally {
        await rm(file);
      }
    },
  ],
])("%s is local", async (_name, work) => {
  const error = await failureOf(work);
  expect(isLocalError(error)).toBe(true);
});

test("a wrapped file error is local by its cause", () => {
  const cause = Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open" });
  expect(isLocalError(new Error("the upload failed", { cause }))).toBe(true);
});

test("a failed connection is not local, whoever reports it", async () => {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  expect(isLocalError(await failureOf(async () => fetch(`http://127.0.0.1:${port}/`)))).toBe(false);
  server.close();
  await once(server, "close");
  expect(isLocalError(await failureOf(async () => fetch(`http://127.0.0.1:${port}/`)))).toBe(false);
  expect(isLocalError(await failureOf(async () => once(connect(port, "127.0.0.1"), "connect")))).toBe(false);
  expect(isLocalError(Object.assign(new Error("connect EACCES"), { code: "EACCES", syscall: "connect" }))).toBe(false);
});

test.each([
  new TypeError("fetch failed"),
  new TypeError("terminated", { cause: new Error("other side closed") }),
  Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  new DOMException("This operation was aborted", "AbortError"),
  new RangeError("a status that no answer may have"),
  new Error("whatever"),
  "no error",
  undefined,
])("%s is not local", (error) => {
  expect(isLocalError(error)).toBe(false);
});
