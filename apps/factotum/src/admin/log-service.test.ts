import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLogService } from "./log-service.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-log-service-"));
  file = path.join(folder, "gateway.log");
});
afterEach(() => rm(folder, { recursive: true }));

const serviceOf = (hide: (text: string) => string = (text) => text) => createLogService({ path: file, hide });
const line = (message: string, fields: object = {}): string =>
  `${JSON.stringify({ time: "2026-11-29T10:00:00.000Z", level: "info", message, ...fields })}\n`;

test("a line has its other facts by name, an error with its causes, and foreign text cannot move anything", async () => {
  const error = { message: "no", cause: { message: "closed" } };
  await writeFile(file, `${line("Failed", { sessionKey: "agent:main:main", count: 2, text: "a\u{1b}[2Jb", error })}plain words\n`);
  const { lines } = await serviceOf().tail({});
  expect(lines).toEqual([
    {
      time: "2026-11-29T10:00:00.000Z",
      level: "info",
      source: "agent:main:main",
      message: "Failed",
      fields: [
        { name: "sessionKey", value: "agent:main:main" },
        { name: "count", value: "2" },
        { name: "text", value: String.raw`a\u001b[2Jb` },
        { name: "error", value: "no: closed" },
      ],
    },
    { level: "info", source: "gateway", message: "plain words", fields: [] },
  ]);
});

test("a foreign line whose time cannot be read has no time", async () => {
  await writeFile(file, `${JSON.stringify({ time: "yesterday", message: "foreign" })}\n`);
  expect((await serviceOf().tail({})).lines).toEqual([{ level: "info", source: "gateway", message: "foreign", fields: [] }]);
});

test("a search does not find what is hidden, and finds the rest of the same line", async () => {
  await writeFile(file, line("The key is canary-1234"));
  const service = serviceOf((text) => text.replaceAll("canary-1234", "[hidden]"));
  expect((await service.tail({ text: "CANARY" })).lines).toEqual([]);
  expect((await service.tail({ text: "the KEY" })).lines).toMatchObject([{ message: "The key is [hidden]" }]);
});

test("after a rotation the rest of the previous file comes first, in parts of a megabyte, and nothing is left out", async () => {
  await writeFile(file, line("first"));
  const service = serviceOf();
  let { cursor } = await service.tail({});
  const long = "x".repeat(700_000);
  await writeFile(file, line("second", { long }) + line("third", { long }), { flag: "a" });
  await rename(file, `${file}.1`);
  await writeFile(file, line("fourth"));
  const found: string[] = [];
  for (let look = 0; look < 4; look += 1) {
    const part = await service.tail({ after: cursor });
    expect(part.missed).toBeUndefined();
    found.push(...part.lines.map(({ message }) => message));
    cursor = part.cursor;
  }
  expect(found).toEqual(["second", "third", "fourth"]);
});

test("a part says that lines are missing: more than its limit, or in a file that is gone", async () => {
  await writeFile(file, line("first"));
  const service = serviceOf();
  const { cursor } = await service.tail({});
  await writeFile(file, line("second") + line("third"), { flag: "a" });
  expect(await service.tail({ after: cursor, limit: 1 })).toMatchObject({ lines: [{ message: "third" }], missed: true });
  await rename(file, path.join(folder, "elsewhere"));
  await writeFile(file, line("fourth"));
  expect(await service.tail({ after: cursor })).toMatchObject({ lines: [{ message: "fourth" }], missed: true });
});
