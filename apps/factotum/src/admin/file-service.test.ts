import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REDACTED, type FactotumConfig } from "@factotum/config";
import { RpcError, type FileService } from "@factotum/gateway";
import { NoteVersions } from "@factotum/memory";
import { createFileAccess } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileService } from "./file-service.ts";

const hide = (text: string): string => text.replaceAll("s3cret-value", REDACTED);
const AGENT = { agentId: "main" };
let home: string;
let workspace: string;
let service: FileService;
let nowMs: number;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "factotum-service-")));
  workspace = join(home, "workspace");
  nowMs = Date.parse("2026-03-01T09:00:00Z");
  await mkdir(workspace);
  const now = (): number => nowMs;
  const versions = new NoteVersions({
    folder: join(home, "state", "note-versions"),
    workspaceOf: () => workspace,
    isEnabled: () => true,
    isUntrusted: async () => false,
    now,
  });
  const files = createFileAccess({ roots: () => [], home, protectedPaths: [], userHome: home, checkpoints: versions });
  const agent = { id: "main", workspace, skipBootstrap: false, bootstrapMaxChars: 40, bootstrapTotalMaxChars: 100 };
  const config = { agents: [agent], tools: { checkpoints: true } } as unknown as FactotumConfig;
  const clock = { now, monotonic: now, schedule: () => ({ [Symbol.dispose]: () => undefined }) };
  service = createFileService({
    files,
    versions,
    currentConfig: () => config,
    clock,
    secrets: { toolOutput: { ready: async () => undefined, redact: hide } },
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const soul = { ...AGENT, path: "SOUL.md" } as const;

test("a file is written over what was read, and gets back what it held", async () => {
  const before = await service.read(soul);
  expect(before.text).toBe("");
  const first = await service.write({ ...soul, text: "Be calm.", baseHash: before.baseHash });
  nowMs += 1;
  await service.write({ ...soul, text: "Be loud.", baseHash: first.baseHash });
  await expect(service.write({ ...soul, text: "Be late.", baseHash: first.baseHash })).rejects.toMatchObject({ code: "conflict" });
  const { versions } = await service.versions(soul);
  expect(versions).toMatchObject([{ sizeBytes: 8, atMs: nowMs }]);
  const id = versions[0]?.id ?? "";
  expect(await service.version({ ...soul, id })).toEqual({ text: "Be calm." });
  nowMs += 1;
  expect(await service.restore({ ...soul, id })).toMatchObject({ baseHash: first.baseHash });
  expect(await readFile(join(workspace, "SOUL.md"), "utf8")).toBe("Be calm.");
  expect((await service.versions(soul)).versions).toHaveLength(2);
  await expect(service.restore({ ...soul, id: "20260101T000000000Z-00000000" })).rejects.toMatchObject({ code: "not-found" });
});

test("of many that write over the same text at once, one does, and the others are told; no text is lost without a version", async () => {
  const race = async (baseHash: string, name: string): Promise<string> => {
    const texts = Array.from({ length: 8 }, (_, index) => `${name} ${index}`);
    const ended = await Promise.allSettled(texts.map(async (text) => service.write({ ...soul, text, baseHash })));
    const codes = ended.map((one) => (one.status === "fulfilled" ? "ok" : (one.reason as RpcError).code));
    expect(codes.toSorted()).toEqual([...Array.from({ length: 7 }, () => "conflict"), "ok"]);
    const left = await readFile(join(workspace, "SOUL.md"), "utf8");
    expect(left).toBe(texts[codes.indexOf("ok")]);
    return left;
  };
  await race((await service.read(soul)).baseHash, "new");
  expect((await service.versions(soul)).versions).toEqual([]);
  for (let round = 1; round <= 5; round += 1) {
    nowMs += 1;
    const { baseHash } = await service.read(soul);
    await race(baseHash, `round ${round}`);
    expect((await service.versions(soul)).versions).toHaveLength(round);
  }
});

test("the list says what each file costs, and which the limits cut; one that cannot be read hides no others", async () => {
  await writeFile(join(workspace, "SOUL.md"), "s".repeat(60));
  await writeFile(join(workspace, "AGENTS.md"), "a".repeat(20));
  await writeFile(join(home, "elsewhere.md"), "the key");
  await symlink(join(home, "elsewhere.md"), join(workspace, "USER.md"));
  const { files } = await service.list({ ...AGENT, contextWindow: 200_000 });
  const byPath = new Map(files.map((file) => [file.path, file]));
  expect(byPath.get("SOUL.md")).toMatchObject({ isThere: true, sizeBytes: 60, isCut: true });
  expect(byPath.get("AGENTS.md")).toMatchObject({ promptTokens: 5, isCut: false });
  expect(byPath.get("USER.md")).toMatchObject({ isThere: true, promptTokens: 0 });
  expect(byPath.get("TOOLS.md")).toMatchObject({ isThere: false, promptTokens: 0 });
  await expect(service.read({ ...AGENT, path: "USER.md" })).rejects.toMatchObject({ code: "unavailable" });
});

test("a secret is hidden, kept in a line that stays, and in no other", async () => {
  await writeFile(join(workspace, "SOUL.md"), "token: s3cret-value\ncalm");
  const { text, baseHash } = await service.read(soul);
  expect(text).toBe(`token: ${REDACTED}\ncalm`);
  await expect(service.write({ ...soul, text: `key: ${REDACTED}`, baseHash })).rejects.toThrow("Line 1 has the mark");
  await service.write({ ...soul, text: `token: ${REDACTED}\nloud`, baseHash });
  expect(await readFile(join(workspace, "SOUL.md"), "utf8")).toBe("token: s3cret-value\nloud");
});

test("a text that is too long, and a file that is no text, are refused", async () => {
  await writeFile(join(workspace, "SOUL.md"), "x".repeat(100_001));
  await expect(service.read(soul)).rejects.toMatchObject({ code: "too-large" });
  await writeFile(join(workspace, "SOUL.md"), Buffer.from([0xff, 0xfe, 0x00]));
  await expect(service.read(soul)).rejects.toThrow("no text in UTF-8");
});

const part = (name: string, text: string, { offset = 0, sizeBytes = text.length }: { offset?: number; sizeBytes?: number } = {}) =>
  service.add({ ...AGENT, name, uploadId: "upload-1", sizeBytes, offset, data: Buffer.from(text).toString("base64") });

test("a knowledge file arrives in parts, whole or not at all, and takes no other file's name", async () => {
  expect(await part("plan.txt", "one", { sizeBytes: 6 })).toEqual({ agentId: "main", receivedBytes: 3 });
  await expect(readFile(join(workspace, "knowledge", "plan.txt"))).rejects.toThrow("ENOENT");
  await expect(part("plan.txt", "two", { sizeBytes: 6, offset: 4 })).rejects.toMatchObject({ code: "conflict" });
  expect(await part("plan.txt", "two", { sizeBytes: 6, offset: 3 })).toMatchObject({ added: { name: "plan.txt", sizeBytes: 6 } });
  expect(await part("PLAN.txt", "other")).toMatchObject({ added: { name: "PLAN (2).txt" } });
  expect(await readFile(join(workspace, "knowledge", "plan.txt"), "utf8")).toBe("onetwo");
  const { knowledge } = await service.list({ ...AGENT, contextWindow: 200_000 });
  expect(knowledge.map(({ name }) => name)).toEqual(["PLAN (2).txt", "plan.txt"]);
  await service.remove({ ...AGENT, name: "plan.txt" });
  await expect(service.remove({ ...AGENT, name: "plan.txt" })).rejects.toMatchObject({ code: "not-found" });
});

test("files of one name that arrive at once all stay", async () => {
  const texts = ["one", "two", "three", "four"];
  await Promise.all(
    texts.map(async (text) =>
      service.add({
        ...AGENT,
        name: "a.txt",
        uploadId: `upload-${text}`,
        sizeBytes: text.length,
        offset: 0,
        data: Buffer.from(text).toString("base64"),
      }),
    ),
  );
  const { knowledge } = await service.list({ ...AGENT, contextWindow: 200_000 });
  const kept = await Promise.all(knowledge.map(async ({ name }) => readFile(join(workspace, "knowledge", name), "utf8")));
  expect(kept.toSorted()).toEqual(texts.toSorted());
});

test("parts that stay behind are forgotten, and too many at the same time are refused", async () => {
  await part("a.txt", "x", { sizeBytes: 2 });
  nowMs += 6 * 60_000;
  await expect(part("a.txt", "x", { sizeBytes: 2, offset: 1 })).rejects.toMatchObject({ code: "conflict" });
  for (const name of ["a", "b", "c", "d"]) await part(name, "x", { sizeBytes: 2 });
  await expect(part("e", "x", { sizeBytes: 2 })).rejects.toMatchObject({ code: "unavailable" });
});

test.each(["../SOUL.md", "a/b", "a\\b", ".ssh", "", "..", "a\u0000b", "invoice\u202Efdp.exe", "x".repeat(201)])(
  "the name %j is refused",
  async (name) => {
    await expect(part(name, "x")).rejects.toMatchObject({ code: "invalid-request" });
    await expect(service.remove({ ...AGENT, name })).rejects.toBeInstanceOf(RpcError);
  },
);

test("a folder that leads out of the workspace takes no file and lists none", async () => {
  await mkdir(join(home, "outside"));
  await writeFile(join(home, "outside", "secret.txt"), "x");
  await symlink(join(home, "outside"), join(workspace, "knowledge"));
  await expect(part("plan.txt", "x")).rejects.toMatchObject({ code: "unavailable" });
  expect(await service.list({ ...AGENT, contextWindow: 200_000 })).toMatchObject({ knowledge: [] });
});

test("a knowledge file that came another way is removed whatever its name hides, and nothing outside the folder is", async () => {
  await mkdir(join(workspace, "knowledge"));
  await writeFile(join(workspace, "SOUL.md"), "Be calm.");
  const names = ["cafe\u0301.txt", "a\u202etxt.exe", " spaced ", "~"];
  for (const name of names) await writeFile(join(workspace, "knowledge", name), "x");
  const { knowledge } = await service.list({ ...AGENT, contextWindow: 200_000 });
  expect(knowledge.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { name } of knowledge) await service.remove({ ...AGENT, name });
  expect(await service.list({ ...AGENT, contextWindow: 200_000 })).toMatchObject({ knowledge: [] });
  for (const name of ["../SOUL.md", "..", ".", ".hidden", "a\0b", ""])
    await expect(service.remove({ ...AGENT, name })).rejects.toMatchObject({ code: "invalid-request" });
  expect(await readFile(join(workspace, "SOUL.md"), "utf8")).toBe("Be calm.");
});
