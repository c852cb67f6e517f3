import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSkillIndex, type SkillIndexOptions } from "./create-skill-index.ts";

let base: string;
let warnings: unknown[];
let signal: AbortSignal;

const logger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (_message, fields) => void warnings.push(fields),
  error: () => {},
  child: () => logger,
};

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "skills-")));
  await mkdir(join(base, "workspace"));
  warnings = [];
  signal = new AbortController().signal;
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<string> {
  const absolute = join(base, path);
  await mkdir(dirname(absolute), { recursive: true });
  await writeFile(absolute, text);
  return absolute;
}

const place = () => ({ workspace: join(base, "workspace"), agentId: "main", signal });

const index = (options: Partial<SkillIndexOptions> = {}) =>
  createSkillIndex({
    bundledFolder: join(base, "bundled"),
    managedFolder: join(base, "managed"),
    personalFolder: join(base, "personal"),
    agentFolder: (agentId) => join(base, "agents", agentId),
    extraFolders: [join(base, "extra"), join(base, "extra2")],
    host: { platform: "linux", env: { PATH: join(base, "bin") } },
    logger,
    ...options,
  });
const scan = (options: Partial<SkillIndexOptions> = {}) => index(options).scan(place());
const names = async (options: Partial<SkillIndexOptions> = {}): Promise<string[]> => (await scan(options)).skills.map(({ name }) => name);

test("only a file that was written since its last read is read again", async () => {
  const path = await put("managed/a/SKILL.md", "One.");
  await put("managed/b/SKILL.md", "Bee.");
  const kept = index();
  const descriptions = async (): Promise<string[]> => (await kept.scan(place())).skills.map(({ description }) => description);
  expect(await descriptions()).toEqual(["One.", "Bee."]);
  const { atime, mtime } = await stat(path);
  // Same size and old times: the kernel's change time still differs.
  await writeFile(path, "Two.");
  await utimes(path, atime, mtime);
  expect(await descriptions()).toEqual(["Two.", "Bee."]);
  await rm(path);
  expect(await descriptions()).toEqual(["Bee."]);
  await put("managed/a/SKILL.md", "");
  expect(await descriptions()).toEqual(["Bee."]);
  await put("managed/a/SKILL.md", "Three.");
  expect(await descriptions()).toEqual(["Three.", "Bee."]);
});

describe("sources", () => {
  test("every folder, by name, with the path that `read` takes", async () => {
    await put("workspace/skills/b/SKILL.md", "Bee.");
    await put("managed/a/SKILL.md", "---\nname: ay\nversion: 2\n---\nAy.");
    await put("bundled/c/SKILL.md", "Sea.");
    await put("extra/d/SKILL.md", "Dee.");
    const { skills, problems } = await scan();
    expect(problems).toEqual([]);
    expect(skills).toEqual([
      {
        name: "ay",
        description: "Ay.",
        version: "2",
        source: "managed",
        location: join(base, "managed/a/SKILL.md"),
        folder: join(base, "managed/a"),
      },
      {
        name: "b",
        description: "Bee.",
        version: expect.any(String) as string,
        source: "workspace",
        location: "./skills/b/SKILL.md",
        folder: join(base, "workspace/skills/b"),
      },
      expect.objectContaining({ name: "c", source: "bundled" }) as unknown,
      expect.objectContaining({ name: "d", source: "extra" }) as unknown,
    ]);
  });

  test("the first of workspace, project, personal, agent, managed, bundled and extra folders wins", async () => {
    const folders = ["workspace/skills", "workspace/.agents/skills", "personal", "agents/main", "managed", "bundled", "extra", "extra2"];
    for (const folder of folders) await put(`${folder}/x/SKILL.md`, `From ${folder}.`);
    await put("agents/other/y/SKILL.md", "Not mine.");
    const sources = ["workspace", "project", "personal", "agent", "managed", "bundled", "extra", "extra"];
    for (const [rank, folder] of folders.entries()) {
      const { skills, problems } = await scan();
      expect(skills).toEqual([expect.objectContaining({ description: `From ${folder}.`, source: sources[rank] }) as unknown]);
      expect(problems.every(({ name }) => name === "x")).toBe(true);
      await rm(join(base, folder), { recursive: true });
    }
    expect((await scan()).skills).toEqual([]);
  });

  test("a skill that another replaces is reported, and is not left out", async () => {
    const winner = await put("workspace/skills/x/SKILL.md", "Mine.");
    const path = await put("bundled/x/SKILL.md", "Theirs.");
    expect((await scan()).problems).toEqual([{ type: "shadowed", path, name: "x", message: `x is replaced by ${winner}` }]);
    expect(await index().leftOut(place())).toEqual([]);
  });

  test("the winner is checked afterwards: an ineligible skill does not reveal the one it shadows", async () => {
    await put("workspace/skills/x/SKILL.md", "---\nmetadata: { factotum: { requires: { bins: [nothing] } } }\n---\nMine.");
    await put("bundled/x/SKILL.md", "Theirs.");
    expect(await names()).toEqual([]);
  });

  test("two of one name in one source: the first path wins, the other is reported", async () => {
    await put("managed/one/SKILL.md", "---\nname: same\n---\nFirst.");
    const second = await put("managed/two/SKILL.md", "---\nname: same\n---\nSecond.");
    const { skills, problems } = await scan();
    expect(skills.map(({ description }) => description)).toEqual(["First."]);
    expect(problems).toEqual([{ type: "broken", path: second, name: "same", message: expect.stringContaining("same name") as string }]);
  });

  test("six folders deep, not seven; not inside a skill, hidden folders or node_modules", async () => {
    await put("managed/1/2/3/4/5/deep/SKILL.md", "x");
    await put("managed/1/2/3/4/5/6/too-deep/SKILL.md", "x");
    await put("managed/outer/SKILL.md", "x");
    await put("managed/outer/inner/SKILL.md", "x");
    await put("managed/.hidden/SKILL.md", "x");
    await put("managed/node_modules/dep/SKILL.md", "x");
    expect(await names()).toEqual(["deep", "outer"]);
  });

  test("the allow list narrows: an absent one allows all, an empty one none", async () => {
    await put("managed/a/SKILL.md", "x");
    await put("managed/b/SKILL.md", "x");
    const list = async (allow?: string[]): Promise<string[]> =>
      (await index().list({ ...place(), ...withoutUndefined({ allow }) })).map(({ name }) => name);
    expect(await list()).toEqual(["a", "b"]);
    expect(await list(["b", "missing"])).toEqual(["b"]);
    expect(await list([])).toEqual([]);
  });
});

describe("links", () => {
  test("inside the root are followed, once", async () => {
    await put("managed/store/real/SKILL.md", "x");
    await symlink("store/real", join(base, "managed/alias"));
    await symlink(".", join(base, "managed/circle"));
    expect((await scan()).skills.map(({ folder }) => folder)).toEqual([join(base, "managed/store/real")]);
  });

  test("out of the root are refused", async () => {
    await put("outside/secret/SKILL.md", "x");
    const file = await put("outside/file.md", "x");
    await mkdir(join(base, "managed/by-file"), { recursive: true });
    await symlink(join(base, "outside"), join(base, "managed/by-folder"));
    await symlink(file, join(base, "managed/by-file/SKILL.md"));
    const { skills, problems } = await scan();
    expect(skills).toEqual([]);
    expect(problems.map(({ path }) => path)).toEqual([join(base, "managed/by-file/SKILL.md"), join(base, "managed/by-folder")]);
  });
});

describe("a broken skill", () => {
  test("is skipped with one warning, and does not affect the others", async () => {
    await put("managed/good/SKILL.md", "Good.");
    const broken = await put("managed/broken/SKILL.md", "---\nname: [\n---\n");
    const large = await put("managed/large/SKILL.md", "x");
    await truncate(large, 300_000);
    const bytes = join(base, "managed/bytes");
    await mkdir(bytes);
    await writeFile(join(bytes, "SKILL.md"), Buffer.from([0xff, 0xfe]));
    await mkdir(join(base, "managed/pipe"));
    execFileSync("sh", ["-c", `mkfifo "$0"`, join(base, "managed/pipe/SKILL.md")]);
    await mkdir(join(base, "managed/folder/SKILL.md"), { recursive: true });
    const skills = index();
    for (let time = 0; time < 3; time += 1) {
      expect((await skills.list(place())).map(({ name }) => name)).toEqual(["good"]);
    }
    expect(warnings).toHaveLength(5);
    expect(warnings).toContainEqual({ path: broken, reason: expect.stringContaining("not valid YAML") as string });
    expect(warnings).toContainEqual({ path: large, reason: expect.stringContaining("larger than 262144 bytes") as string });
    await writeFile(broken, "Mended.");
    expect((await skills.list(place())).map(({ name }) => name)).toEqual(["broken", "good"]);
  });

  test("an excessive number of skills is cut, and that is reported", async () => {
    for (let number = 0; number < 503; number += 1) await put(`managed/s${String(number).padStart(3, "0")}/SKILL.md`, "x");
    await put("bundled/z/SKILL.md", "x");
    const { skills, problems } = await scan();
    expect(skills).toHaveLength(500);
    expect(problems[0]).toEqual({
      type: "broken",
      path: join(base, "managed"),
      message: "holds more than 500 skills; the rest was left out",
    });
  });

  test("an abort ends the search", async () => {
    await put("managed/a/SKILL.md", "x");
    await expect(index().scan({ ...place(), signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

describe("requirements", () => {
  const needing = (requires: string, rest = ""): Promise<string> =>
    put("managed/x/SKILL.md", `---\nmetadata: { openclaw: { requires: ${requires}${rest} } }\n---\nText.`);
  const reason = async (options: Partial<SkillIndexOptions> = {}): Promise<string | undefined> => {
    const { skills, problems } = await scan(options);
    expect(skills.length + problems.length).toBe(1);
    return problems[0]?.message;
  };

  beforeEach(async () => {
    await chmod(await put("bin/tool", "#!/bin/sh\n"), 0o755);
    await chmod(await put("bin/no-program", ""), 0o644);
    await mkdir(join(base, "bin/folder"));
  });

  test.each([
    ["{ bins: [tool] }", undefined],
    ["{ bins: [tool, other] }", "x needs the program other"],
    ["{ bins: [no-program] }", "x needs the program no-program"],
    ["{ bins: [folder] }", "x needs the program folder"],
    ["{ bins: ['../bin/tool'] }", "x needs the program ../bin/tool"],
    ["{ anyBins: [other, tool] }", undefined],
    ["{ anyBins: [other, another] }", "x needs one of the programs other, another"],
    ["{ env: [TOKEN] }", "x needs the environment variable TOKEN"],
    ["{ os: [linux, darwin] }", undefined],
    ["{ os: [macos] }", "x is for darwin only"],
    ["{ config: [browser.enabled] }", "x needs the setting browser.enabled"],
  ])("%s", async (requires, message) => {
    await needing(requires);
    expect(await reason()).toBe(message);
  });

  test("a variable comes from the configuration or the API key; of the gateway's own only those that commands get", async () => {
    await needing("{ env: [TOKEN] }", ", primaryEnv: TOKEN");
    expect(await reason({ host: { platform: "linux", env: { TOKEN: "t" } } })).toContain("TOKEN");
    expect(await reason({ entries: { x: { env: { TOKEN: "t" } } } })).toBeUndefined();
    expect(await reason({ entries: { x: { env: { TOKEN: "" } } } })).toContain("TOKEN");
    expect(await reason({ entries: { x: { apiKey: "k" } } })).toBeUndefined();
    expect(await reason({ entries: { y: { apiKey: "k" } } })).toContain("TOKEN");
    await needing("{ env: [OTHER] }", ", primaryEnv: TOKEN");
    expect(await reason({ entries: { x: { apiKey: "k" } } })).toContain("OTHER");
    await needing("{ env: [HOME] }");
    expect(await reason({ host: { platform: "linux", env: { HOME: "/home/me" } } })).toBeUndefined();
    expect(await reason({ host: { platform: "linux", env: {} } })).toContain("HOME");
  });

  test("a setting is one of the skill's own, or of the configuration", async () => {
    await needing("{ config: [browser.enabled] }");
    expect(await reason({ entries: { x: { config: { "browser.enabled": true } } } })).toBeUndefined();
    expect(await reason({ entries: { x: { config: { "browser.enabled": false } } } })).toContain("browser.enabled");
    const host = { platform: "linux", env: {}, isConfigured: (key: string) => key === "browser.enabled" };
    expect(await reason({ host })).toBeUndefined();
    expect(await reason({ host: { ...host, isConfigured: () => false } })).toContain("browser.enabled");
  });

  test("settings may be under another key", async () => {
    await needing("{ env: [TOKEN] }", ", primaryEnv: TOKEN, skillKey: service");
    expect(await reason({ entries: { x: { apiKey: "k" } } })).toContain("TOKEN");
    expect(await reason({ entries: { service: { apiKey: "k" } } })).toBeUndefined();
    expect(await reason({ entries: { service: { apiKey: "k", enabled: false } } })).toContain("turned off");
  });

  test("an entry says which tools, key and variable it has", async () => {
    await needing("{ tools: [exec, cron] }", ", primaryEnv: TOKEN, skillKey: service");
    expect((await scan()).skills).toEqual([
      expect.objectContaining({ tools: ["exec", "cron"], primaryEnv: "TOKEN", settingsKey: "service" }) as unknown,
    ]);
  });

  test("`always` waives all requirements", async () => {
    await needing("{ bins: [other] }", ", always: true");
    expect(await reason()).toBeUndefined();
  });

  test("the configuration disables a skill, its author reserves it for people or the model", async () => {
    await put("managed/x/SKILL.md", "Text.");
    expect(await reason({ entries: { x: { enabled: false } } })).toBe("x is turned off by skills.entries");
    await put("managed/x/SKILL.md", "---\ndisable-model-invocation: true\n---\nText.");
    expect((await scan()).skills).toMatchObject([{ name: "x", invocation: "people" }]);
    await put("managed/x/SKILL.md", "---\nuser-invocable: false\n---\nText.");
    expect((await scan()).skills).toMatchObject([{ name: "x", invocation: "model" }]);
    await put("managed/x/SKILL.md", "---\nuser-invocable: false\ndisable-model-invocation: true\n---\nText.");
    expect(await reason()).toContain("neither people nor the model");
    expect(await index().leftOut(place())).toEqual([{ name: "x", reason: expect.stringContaining("neither people") as string }]);
  });
});

test("the instructions of a skill come without its frontmatter, as long as it is there", async () => {
  const path = await put("managed/x/SKILL.md", "---\nname: x\n---\n# X\n\nDo it in {baseDir}.\n");
  const kept = index();
  const [skill] = await kept.list(place());
  expect(skill && (await kept.readBody(skill, { signal }))).toBe("# X\n\nDo it in {baseDir}.\n");
  await rm(path);
  expect(skill && (await kept.readBody(skill, { signal }))).toBeUndefined();
});

describe("commands of a workspace", () => {
  const found = () => index().commands(place());

  test("are its Markdown files, with what their frontmatter says", async () => {
    await put("workspace/commands/stand-up.md", "---\ndescription: What was done\nargument-hint: <days>\n---\nList $1 days.\n");
    await put("workspace/commands/Plain.md", "Say hello.\n\nThen stop.");
    await put("workspace/commands/open.md", "---\naccess: anyone\nargument-hint: [file]\n---\nOpen it.");
    await put("workspace/commands/notes.txt", "no command");
    await put("workspace/commands/.hidden.md", "no command");
    await put("workspace/commands/deep/inner.md", "no command");
    expect(await found()).toEqual({
      problems: [],
      commands: [
        { name: "plain", description: "Say hello.", access: "owner", body: "Say hello.\n\nThen stop." },
        { name: "open", description: "Open it.", argumentHint: "[file]", access: "anyone", body: "Open it." },
        { name: "stand-up", description: "What was done", argumentHint: "<days>", access: "owner", body: "List $1 days." },
      ],
    });
  });

  test("come before those of packages, which are the owner's alone; of two packages the first counts", async () => {
    await put("workspace/commands/sort.md", "Mine.");
    await put("one/sort.md", "Theirs.");
    await put("one/open.md", "---\naccess: anyone\n---\nOpen it.");
    await put("two/open.md", "Other.");
    const commandFolders = [join(base, "one"), join(base, "two"), join(base, "missing")];
    const { commands } = await index({ commandFolders }).commands(place());
    expect(commands.map(({ name, body, access }) => [name, body, access])).toEqual([
      ["sort", "Mine.", "owner"],
      ["open", "Open it.", "owner"],
    ]);
  });

  test("without their folder are none", async () => {
    expect(await found()).toEqual({ commands: [], problems: [] });
  });

  test("an unusable one is reported, and does not affect the others", async () => {
    await put("workspace/commands/a b.md", "x");
    await put("workspace/commands/empty.md", "---\ndescription: x\n---\n");
    await put("workspace/commands/both.md", "---\naccess: everyone\n---\nx");
    await put("workspace/commands/good.md", "x");
    const outside = await put("outside.md", "secret");
    await symlink(outside, join(base, "workspace/commands/link.md"));
    const { commands, problems } = await found();
    expect(commands.map(({ name }) => name)).toEqual(["good"]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("no name of a command"),
      expect.stringContaining("neither owner nor anyone"),
      expect.stringContaining("no text for the model"),
    ]);
  });

  test("an excessive number is cut, and that is reported", async () => {
    for (let number = 0; number < 101; number += 1) await put(`workspace/commands/c${String(number).padStart(3, "0")}.md`, "x");
    const { commands, problems } = await found();
    expect(commands).toHaveLength(100);
    expect(problems).toEqual([{ path: join(base, "workspace/commands"), message: expect.stringContaining("more than 100") as string }]);
  });
});
