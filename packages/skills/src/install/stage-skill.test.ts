import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tar, zip, type ArchiveEntry } from "../../test/archives.ts";
import { SkillInstallError } from "./install-error.ts";
import { parseSkillSource } from "./skill-source.ts";
import { stageSkill, type StagedSkill } from "./stage-skill.ts";

const TEXT = "---\nname: bake\ndescription: How we bake.\n---\nHeat the oven.\n";
const SKILL: ArchiveEntry = { name: "bake/SKILL.md", body: TEXT };
const LINK = 0o120_777;
const MB = 1024 ** 2;

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "install-")));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, content: string | Buffer): Promise<string> {
  const absolute = join(base, path);
  await mkdir(dirname(absolute), { recursive: true });
  await writeFile(absolute, content);
  return absolute;
}

async function stage(written: string, path?: string): Promise<StagedSkill> {
  const source = await parseSkillSource(written, { folder: base });
  const { signal } = new AbortController();
  return stageSkill(source, { folder: join(base, "skills"), env: process.env, signal, ...(path === undefined ? {} : { path }) });
}

/** What is left in the folder of skills. */
const left = async (): Promise<readonly string[]> => readdir(join(base, "skills"));

const files = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
};

/** Each refused entry, and a twin that differs in what is refused alone. */
const CORPUS: readonly (readonly [what: string, refused: ArchiveEntry, reason: RegExp, twin: ArchiveEntry])[] = [
  ["a path out of the folder", { name: "../evil.md" }, /leaves its folder|invalid/, { name: "bake/..evil.md" }],
  ["a path out and in again", { name: "bake/../../bake/x.md" }, /leaves its folder|invalid/, { name: "bake/bake/x.md" }],
  ["a parent in the middle", { name: "bake/../x.md" }, /leaves its folder|invalid/, { name: "bake/.x.md" }],
  ["a final parent", { name: "bake/.." }, /leaves its folder|invalid/, { name: "bake/..." + "x" }],
  ["an absolute path", { name: "/etc/cron.d/x" }, /absolute/, { name: "bake/etc/cron.d/x" }],
  ["a drive letter", { name: "C:/x.md" }, /absolute/, { name: "bake/C/x.md" }],
  ["a backslash", { name: "bake\\..\\x.md" }, /backslash|invalid characters/, { name: "bake/x-y.md" }],
  ["an empty part", { name: "bake//x.md" }, /empty part/, { name: "bake/x.md" }],
  ["a dot as a part", { name: "bake/./x.md" }, /empty part/, { name: "./bake/x.md" }],
  ["a line break in a name", { name: "bake/a\nb.md" }, /control characters/, { name: "bake/a b.md" }],
  ["a reordered name", { name: "bake/\u202egpj.exe" }, /control characters/, { name: "bake/\u00e9.jpg" }],
  ["a final dot", { name: "bake/x.md." }, /dot or a space/, { name: "bake/.x.md" }],
  ["a final space", { name: "bake/x.md " }, /dot or a space/, { name: "bake/ x.md" }],
  ["too many folders", { name: `bake/${"d/".repeat(12)}x` }, /folders deep/, { name: `bake/${"d/".repeat(10)}x` }],
  ["the same file again", { name: "bake/SKILL.md", body: "other" }, /there twice/, { name: "bake/SKILL2.md", body: "other" }],
  ["the same file in other letters", { name: "bake/skill.MD", body: "other" }, /there twice/, { name: "bake/skills.MD", body: "other" }],
  ["a file below a file", { name: "bake/SKILL.md/x" }, /file and a folder/, { name: "bake/SKILL/x" }],
  [
    "a huge file",
    { name: "bake/x.bin", body: Buffer.alloc(10 * MB + 1) },
    /more than 10485760 bytes/,
    { name: "bake/x.bin", body: Buffer.alloc(10 * MB) },
  ],
];

describe.each(["tar", "tar.gz", "zip"] as const)("a %s archive", (format) => {
  const pack = (entries: readonly ArchiveEntry[]): Buffer => {
    if (format === "zip") return zip(entries);
    return format === "tar" ? tar(entries) : gzipSync(tar(entries));
  };
  const archive = async (entries: readonly ArchiveEntry[]): Promise<string> => put(`bake.${format}`, pack(entries));

  test.each(CORPUS)("with %s is refused", async (_, entry, reason) => {
    const file = await archive([SKILL, entry]);
    await expect(stage(file)).rejects.toThrow(SkillInstallError);
    await expect(stage(file)).rejects.toThrow(reason);
    expect(await left()).toEqual([]);
    expect(await readdir(base)).toEqual([`bake.${format}`, "skills"]);
  });

  test.each(CORPUS)("without %s is taken", async (_, _refused, _reason, twin) => {
    await using staged = await stage(await archive([SKILL, twin]));
    expect(staged.skill.name).toBe("bake");
    expect(await files(staged.folder)).toHaveLength(2);
  });

  test("that unpacks to too much is refused, however small it is", async () => {
    const parts = Array.from({ length: 4 }, (_, number) => ({ name: `bake/${number}.bin`, body: Buffer.alloc(9 * MB) }));
    await expect(stage(await archive([SKILL, ...parts]))).rejects.toThrow(/unpacks to more than/);
    await using staged = await stage(await archive([SKILL, ...parts.slice(0, 3)]));
    expect(await files(staged.folder)).toHaveLength(4);
  });

  test("of too many files is refused", async () => {
    // Ignored ones count, and need not be written.
    const many = Array.from({ length: 2_000 }, (_, number) => ({ name: `bake/.git/${number}` }));
    await expect(stage(await archive([SKILL, ...many]))).rejects.toThrow(/more than 2000 files/);
    await using staged = await stage(await archive([SKILL, ...many.slice(0, 1_999)]));
    expect(await files(staged.folder)).toEqual(["SKILL.md"]);
  });

  test("that is cut off is refused", async () => {
    const noise = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * index * 7_919) % 251));
    const whole = pack([SKILL, { name: "bake/data", body: noise }]);
    const cut = await put(`bake.${format}`, whole.subarray(0, Math.floor(whole.length * 0.6)));
    await expect(stage(cut)).rejects.toThrow(SkillInstallError);
    expect(await left()).toEqual([]);
  });

  test("keeps which files can be executed, and nothing else of their modes", async () => {
    const program = { name: "bake/run.sh", body: "#!/bin/sh\n", mode: 0o104_755 };
    await using staged = await stage(await archive([SKILL, program]));
    expect((await stat(join(staged.folder, "run.sh"))).mode & 0o7777).toBe(0o700);
    expect((await stat(join(staged.folder, "SKILL.md"))).mode & 0o7777).toBe(0o600);
  });

  test("leaves out what version control and desktops add", async () => {
    const extra = [{ name: "bake/.git/config" }, { name: "bake/.DS_Store" }, { name: "__MACOSX/bake/._SKILL.md" }];
    await using staged = await stage(await archive([SKILL, ...extra]));
    expect(await files(staged.folder)).toEqual(["SKILL.md"]);
  });

  test("of a skill without a folder is named by its frontmatter", async () => {
    await using staged = await stage(
      await archive([
        { name: "SKILL.md", body: TEXT },
        { name: "notes.md", body: "x" },
      ]),
    );
    expect(staged.skill).toMatchObject({ name: "bake", warnings: [] });
    expect(staged.path).toBe("");
    expect(await files(staged.folder)).toEqual(["SKILL.md", "notes.md"]);
  });
});

describe("links and special files are refused", () => {
  const twin = async (file: string): Promise<void> => {
    await using staged = await stage(file);
    expect(await files(staged.folder)).toEqual(["SKILL.md", "x"]);
  };

  test.each([
    ["a symbolic link", "2", /is a symlink/],
    ["a hard link", "1", /is a link/],
    ["a character device", "3", /is a character-device|special/],
    ["a block device", "4", /is a block-device|special/],
    ["a named pipe", "6", /is a fifo|special/],
  ])("%s of a tar", async (_, type, reason) => {
    await expect(stage(await put("bake.tar", tar([SKILL, { name: "bake/x", type, link: "/etc/passwd" }])))).rejects.toThrow(reason);
    expect(await left()).toEqual([]);
    await twin(await put("bake.tar", tar([SKILL, { name: "bake/x", type: "0", link: "" }])));
  });

  test("a file through a linked folder of a tar", async () => {
    const folder = [SKILL, { name: "bake/d/x", body: "x" }];
    await expect(stage(await put("bake.tar", tar([...folder, { name: "bake/d", body: "y" }])))).rejects.toThrow(/there twice/);
    expect(await stage(await put("bake.tar", tar([...folder, { name: "bake/e", body: "y" }])))).toBeDefined();

    const entries = [SKILL, { name: "bake/out", type: "2", link: base }, { name: "bake/out/evil", body: "x" }];
    await expect(stage(await put("bake.tar", tar(entries)))).rejects.toThrow(/is a symlink/);
    await expect(stat(join(base, "evil"))).rejects.toThrow("ENOENT");
  });

  test.each([
    ["a symbolic link", LINK, /is a link/],
    ["a named pipe", 0o010_644, /special file/],
    ["a folder in the form of a file", 0o040_755, /without a final slash/],
  ])("%s of a zip", async (_, mode, reason) => {
    await expect(stage(await put("bake.zip", zip([SKILL, { name: "bake/x", mode, body: "/etc/passwd" }])))).rejects.toThrow(reason);
    expect(await left()).toEqual([]);
    await twin(await put("bake.zip", zip([SKILL, { name: "bake/x", mode: 0, body: "/etc/passwd" }])));
  });

  test("an encrypted file of a zip", async () => {
    await expect(stage(await put("bake.zip", zip([SKILL, { name: "bake/x", encrypted: true }])))).rejects.toThrow(/encrypted/);
  });

  test.each([
    ["smaller", 3],
    ["larger", 3_000],
  ])("a file of a zip that is %s than it says", async (_, size) => {
    const file = await put("bake.zip", zip([SKILL, { name: "bake/x", body: "0123456789", size }]));
    await expect(stage(file)).rejects.toThrow(SkillInstallError);
    expect(await left()).toEqual([]);
  });

  test("a link in a folder", async () => {
    await put("bake/SKILL.md", TEXT);
    await symlink("/etc/passwd", join(base, "bake/x"));
    await expect(stage("./bake")).rejects.toThrow(/is a link/);
    await rm(join(base, "bake/x"));
    await put("bake/x", "");
    await twin("./bake");
  });
});

describe("a source", () => {
  test.each(["missing", "text.txt"])("%s is refused with what to give", async (written) => {
    await put("text.txt", "x");
    await expect(stage(written)).rejects.toMatchObject({ fix: expect.stringContaining(".tar.gz") as string });
  });

  test.each(["https://example.com/a.git#", "https://example.com/a.git#--upload-pack=x"])("%s is refused", async (written) => {
    await expect(parseSkillSource(written, { folder: base })).rejects.toThrow(/no branch/);
  });

  test.each([
    ["https://example.com/a/skills.git#v1", { type: "git", url: "https://example.com/a/skills.git", ref: "v1" }],
    ["git+ssh://git@example.com/a", { type: "git", url: "ssh://git@example.com/a" }],
    ["git@example.com:a/b.git", { type: "git", url: "git@example.com:a/b.git" }],
    ["github:owner/skills#main", { type: "git", url: "https://github.com/owner/skills.git", ref: "main" }],
  ])("%s is a repository", async (written, source) => {
    expect(await parseSkillSource(written, { folder: base })).toEqual(source);
  });

  test("without a SKILL.md, with an unusable one, or with an unusable name is refused", async () => {
    await put("none/README.md", "x");
    await expect(stage("./none")).rejects.toThrow(/no SKILL\.md/);
    await put("empty/SKILL.md", "");
    await expect(stage("./empty")).rejects.toThrow(/cannot be used/);
    await put("odd/SKILL.md", "---\nname: ../odd\n---\nText.");
    await expect(stage("./odd")).rejects.toThrow(/no name of a skill/);
    expect(await left()).toEqual([]);
  });

  test("with several skills needs the one that is meant", async () => {
    await put("many/one/SKILL.md", "---\nname: one\n---\nFirst.");
    await put("many/deep/two/SKILL.md", "---\nname: two\n---\nSecond.");
    await expect(stage("./many")).rejects.toThrow(/2 skills: deep\/two, one/);
    await using staged = await stage("./many", "deep/two");
    expect(staged).toMatchObject({ path: "deep/two", skill: { name: "two" } });
    await expect(stage("./many", "../many/one")).rejects.toThrow(/no folder in the source/);
  });

  test("in git is cloned without running anything of it", async () => {
    const repository = join(base, "repository");
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { encoding: "utf8", stdio: "pipe" });
    await put("repository/skills/bake/SKILL.md", TEXT);
    await put("repository/skills/other/SKILL.md", "---\nname: other\n---\nOther.");
    await put("repository/.gitattributes", "* filter=evil\n");
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "--message", "one");
    git("tag", "v1");
    const first = git("rev-parse", "HEAD").trim();
    await put("repository/skills/bake/SKILL.md", `${TEXT}More.\n`);
    git("commit", "--quiet", "--all", "--message", "two");
    const url = `file://${repository}`;
    await using newest = await stage(url, "skills/bake");
    expect(await readFile(join(newest.folder, "SKILL.md"), "utf8")).toContain("More.");
    await using tagged = await stage(`${url}#v1`, "skills/bake");
    expect(tagged).toMatchObject({ commit: first, path: "skills/bake", skill: { name: "bake", warnings: [] } });
    expect(await files(tagged.folder)).toEqual(["SKILL.md"]);
    await expect(stage(`${url}#v2`, "skills/bake")).rejects.toThrow(/could not fetch.*v2/);
    await expect(stage(url, "skills/none")).rejects.toThrow(/no folder skills\/none/);
    await expect(stage(url)).rejects.toThrow(/2 skills/);
  });
});
