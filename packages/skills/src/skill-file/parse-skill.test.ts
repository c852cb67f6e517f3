import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSkill } from "./parse-skill.ts";
import { SkillFileError } from "./skill-file-error.ts";

const skill = async (text: string, folder = "my-skill") => parseSkill(text, folder);

describe("without frontmatter", () => {
  test("is named by its folder, described by its first paragraph, versioned by its text", async () => {
    const text = "# create-python-script\n\n当用户要一个 Python 脚本时使用。\n两行。\n\n## 步骤\n1. ls\n";
    expect(await skill(text, "create-python-script")).toMatchObject({
      name: "create-python-script",
      description: "当用户要一个 Python 脚本时使用。 两行。",
      version: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      warnings: [expect.stringContaining("no frontmatter") as string],
    });
    expect((await skill(text)).version).toBe((await skill(text)).version);
    expect((await skill(`${text} `)).version).not.toBe((await skill(text)).version);
  });

  test.each([
    ["one\ntwo\n\nthree", "one two"],
    ["# A\nafter the heading", "after the heading"],
    ["---\n\nafter a rule that opens nothing", "after a rule that opens nothing"],
    ["```sh\nls\n```\nafter code", "after code"],
    ["~~~\n```\n~~~\nafter other code", "after other code"],
    ["<!-- note -->\n![logo](a.png)\nprose", "prose"],
    ["text # not a heading", "text # not a heading"],
    ["#tag is no heading", "#tag is no heading"],
  ])("%j is described by its prose", async (text, description) => {
    expect((await skill(text)).description).toBe(description);
  });
});

describe("frontmatter", () => {
  test("sets name, description and version", async () => {
    expect(await skill("---\r\nname: send\r\ndescription: >\r\n  Sends\r\n  things.\r\nversion: 1.10\r\n---\r\nbody")).toMatchObject({
      name: "send",
      description: "Sends things.",
      version: "1.10",
    });
  });

  test("may be empty, or omit fields", async () => {
    expect(await skill("---\n---\nbody")).toMatchObject({ name: "my-skill", description: "body" });
    expect(await skill("---\n# only a comment\nlicense: MIT\n---\nbody")).toMatchObject({ name: "my-skill", description: "body" });
  });

  test("hides a skill from the model's list", async () => {
    expect((await skill("---\ndisable-model-invocation: true\n---\nbody")).invocation).toBe("people");
    expect((await skill("---\ndisable-model-invocation: false\n---\nbody")).invocation).toBeUndefined();
    expect((await skill("---\nuser-invocable: false\n---\nbody")).invocation).toBe("model");
    expect((await skill("---\nuser-invocable: no\n---\nbody")).invocation).toBeUndefined();
    expect((await skill("---\nuser-invocable: false\ndisable-model-invocation: true\n---\nbody")).invocation).toBe("nobody");
  });

  test("has the fields of the format", async () => {
    const text = [
      "---",
      "name: my-skill",
      "description: Does it.",
      "license: Apache-2.0",
      "compatibility: Needs git and a network",
      "allowed-tools: Bash(git add *) Read,Write",
      "argument-hint: <city>",
      'metadata: { author: someone, version: "1.10" }',
      "---",
      "Do it.",
    ];
    expect(await skill(text.join("\n"))).toMatchObject({
      license: "Apache-2.0",
      compatibility: "Needs git and a network",
      allowedTools: ["Bash(git add *)", "Read", "Write"],
      argumentHint: "<city>",
      version: "1.10",
      warnings: [],
    });
  });

  test.each([
    ["name: My-Skill", /small letters/],
    ["name: my--skill", /small letters/],
    ["name: -skill", /small letters/],
    ["name: other", /not the name of its folder, my-skill/],
    [`name: ${"n".repeat(65)}`, /more than 64/],
    ["license: MIT", /no `name`/],
    ["name: my-skill", /no `description`/],
    [`name: my-skill\ndescription: ${"d".repeat(1_025)}`, /more than 1024/],
    [`compatibility: ${"c".repeat(501)}`, /more than 500/],
    ["compatibility: [git]", /`compatibility` is not text/],
    ["allowed-tools: { a: b }", /`allowed-tools`/],
    ["colour: red", /unknown field `colour`/],
    ["metadata: [a]", /`metadata` is not a block/],
  ])("%j deviates from the format, and the skill is usable", async (head, warning) => {
    const file = await skill(`---\n${head}\n---\nThe body.`);
    expect(file.description).not.toBe("");
    expect(file.warnings.join("\n")).toMatch(warning);
  });

  test("a body is expected, and not a long one", async () => {
    const head = "---\nname: my-skill\ndescription: Does it.\n---\n";
    expect((await skill(head)).warnings).toEqual([expect.stringContaining("no instructions")]);
    expect((await skill(`${head}${"line\n".repeat(500)}`)).warnings).toEqual([expect.stringContaining("more than 500 lines")]);
    expect((await skill(`${head}${"line\n".repeat(499)}`)).warnings).toEqual([]);
  });

  test.each([
    [
      "metadata: { factotum: { requires: { bins: [git], anyBins: [a, b], env: [X], os: [linux] } } }",
      { bins: ["git"], anyBins: ["a", "b"], env: ["X"], os: ["linux"] },
    ],
    [
      "metadata:\n  openclaw:\n    os: [darwin]\n    primaryEnv: KEY\n    requires:\n      bins: git",
      { bins: ["git"], os: ["darwin"], primaryEnv: "KEY" },
    ],
    [`metadata: {"openclaw":{"emoji":"x","always":true}}`, { always: true }],
    [`metadata: '{"clawdbot":{"requires":{"env":["T"]}}}'`, { env: ["T"] }],
    ["metadata: { other: { requires: { bins: [git] } } }", { bins: [] }],
  ])("%s", async (line, requirements) => {
    expect((await skill(`---\n${line}\n---\nbody`)).requirements).toMatchObject(requirements);
  });

  test.each([
    ["---\ndescription: Use when: asked\n---\n", /not valid YAML.*quotes/],
    ["---\n- a\n---\nbody", /list of `key: value`/],
    ["---\nname: [a]\n---\nbody", /`name`.*not text/],
    ["---\nname: '\u200b'\n---\nbody", /name is empty/],
    ["---\nname: x\n---\n# Heading only\n", /neither/],
    ["", /neither/],
    ["---\nmetadata: not json\n---\nbody", /not JSON/],
    ["---\nmetadata: { openclaw: { requires: { bins: [[1]] } } }\n---\nbody", /list of names/],
    [
      `---\na: &a [x]\n${Array.from(
        { length: 9 },
        (_, index) =>
          `b${index}: &b${index} [${Array(9)
            .fill(index === 0 ? "*a" : `*b${index - 1}`)
            .join(",")}]`,
      ).join("\n")}\n---\nbody`,
      /aliases/,
    ],
  ])("%j is refused with what to change", async (text, message) => {
    await expect(skill(text)).rejects.toThrow(SkillFileError);
    await expect(skill(text)).rejects.toThrow(message);
  });
});

describe("text for the model", () => {
  test("is one plain line", async () => {
    const file = await skill(
      '---\nname: "a\\u202Eb\\u0007c"\ndescription: "one\\n\\ttwo\\u2028three \\u2066four\\u2069 \\uDB40\\uDC41five"\n---\n',
    );
    expect(file).toMatchObject({ name: "ab c", description: "one two three four five" });
  });

  test("stays within its length", async () => {
    const file = await skill(`---\nname: ${"n".repeat(200)}\ndescription: ${"😀".repeat(2_000)}\nversion: ${"1".repeat(99)}\n---\n`);
    expect([file.name, file.description, file.version].map((text) => Array.from(text).length)).toEqual([64, 1_024, 32]);
    expect(file.description.isWellFormed()).toBe(true);
  });

  test("any file is a skill or refused with a reason", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("---\n", "\n", "name: ", "description: ", "metadata: ", "{", "[", "&a ", "*a", ": ", "# ", "```"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        try {
          const { name, description, version } = await skill(pieces.join(""));
          for (const text of [name, description, version]) {
            expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
            expect(text).toBe(text.trim());
            expect(text).not.toBe("");
          }
        } catch (error) {
          expect(error).toBeInstanceOf(SkillFileError);
        }
      }),
      { numRuns: 150 },
    );
  });
});
