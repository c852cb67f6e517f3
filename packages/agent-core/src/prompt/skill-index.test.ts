import fc from "fast-check";
import { expect, test } from "vitest";
import { renderSkillIndex } from "./skill-index.ts";

test("lists skills below their folder, escaped, and others with their own path", () => {
  expect(
    renderSkillIndex([
      { name: "a&b", description: "does\n<this> & that", location: "./skills/a&b/SKILL.md", version: "2" },
      { name: "c", description: "sees", location: "/home/skills/c/SKILL.md" },
      { name: "d", description: "digs", location: "./skills/d/SKILL.md", version: "1" },
      { name: "e", description: "eats", location: './skills/deep/"other"/SKILL.md', version: "7" },
    ]),
  ).toBe(
    [
      "<available_skills>",
      '<folder path="./skills">',
      "- a&amp;b (2): does &lt;this&gt; &amp; that",
      "- d (1): digs",
      "</folder>",
      '<folder path="/home/skills">',
      "- c: sees",
      "</folder>",
      '<skill path="./skills/deep/&quot;other&quot;/SKILL.md">e (7): eats</skill>',
      "</available_skills>",
    ].join("\n"),
  );
});

test("shortens descriptions before it drops entries", () => {
  const many = (count: number, description: string) =>
    Array.from({ length: count }, (_, index) => ({ name: `skill-${index}`, description, location: `./skills/skill-${index}/SKILL.md` }));
  const shrunk = renderSkillIndex([
    ...many(80, "d".repeat(500)),
    { name: "short", description: "short one", location: "./s/short/SKILL.md" },
  ]);
  expect(shrunk.length).toBeLessThanOrEqual(12_000);
  expect(shrunk.match(/^- /gm)).toHaveLength(81);
  expect(shrunk).toContain("d…\n");
  expect(shrunk).toContain("- short: short one\n");
  const dropped = renderSkillIndex(many(2_000, "text"));
  const kept = dropped.match(/^- /gm)?.length ?? 0;
  expect(kept).toBeGreaterThan(100);
  expect(dropped).not.toContain(": text");
  expect(dropped).toContain(`</available_skills>\n${2_000 - kept} more skills do not fit`);
});

test("never exceeds its budget and always parses", () => {
  const skill = fc.record({
    name: fc.string({ maxLength: 30 }),
    description: fc.string({ unit: "binary", maxLength: 2_000 }),
    location: fc.oneof(fc.string({ maxLength: 60 }), fc.constantFrom("./skills/a/SKILL.md", "/home/me/skills/b/SKILL.md")),
  });
  fc.assert(
    fc.property(fc.array(skill, { maxLength: 120 }), (skills) => {
      const index = renderSkillIndex(skills);
      expect(index.length).toBeLessThanOrEqual(12_000);
      const [, entries = ""] = /^<available_skills>\n([^]*)\n<\/available_skills>/.exec(index) ?? [];
      for (const line of entries === "" ? [] : entries.split("\n")) {
        expect(line).toMatch(/^(<folder path="[^<>"]*">|<\/folder>|- [^<>"]*|<skill path="[^<>"]*">[^<>"]*<\/skill>)$/);
      }
    }),
    { numRuns: 50 },
  );
});
