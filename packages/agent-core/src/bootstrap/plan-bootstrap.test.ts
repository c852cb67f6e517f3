import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BOOTSTRAP_NAMES, type BootstrapFile, type BootstrapName } from "./bootstrap-file.ts";
import { type BootstrapLimits, planBootstrap } from "./plan-bootstrap.ts";

const file = (name: BootstrapName, content: string | undefined): BootstrapFile => ({ name, path: `/w/${name}`, content });
const limits = (parts: Partial<BootstrapLimits> = {}): BootstrapLimits => ({ contextWindow: 200_000, run: "user", ...parts });
const paths = (files: readonly BootstrapFile[], parts: Partial<BootstrapLimits> = {}): string[] =>
  planBootstrap(files, limits(parts)).projectContext.map(({ type, path }) => `${type} ${path}`);

describe("planBootstrap", () => {
  test("sorts the files as in BOOTSTRAP_NAMES, skips blank files and marks missing ones except HEARTBEAT, BOOTSTRAP and memory", () => {
    const files = BOOTSTRAP_NAMES.toReversed().map((name) =>
      file(name, name === "SOUL.md" ? " \n" : name === "AGENTS.md" ? "rules" : undefined),
    );
    expect(paths(files)).toEqual(["present /w/AGENTS.md", "missing /w/TOOLS.md", "missing /w/IDENTITY.md", "missing /w/USER.md"]);
    expect(planBootstrap(files, limits()).privateMemory).toBeUndefined();
  });

  test("prefers MEMORY.md, and uses memory.md only without it", () => {
    const both = [file("memory.md", "small"), file("MEMORY.md", "big")];
    expect(planBootstrap(both, limits()).privateMemory).toEqual({ type: "present", path: "/w/MEMORY.md", text: "big" });
    const one = [file("memory.md", "small"), file("MEMORY.md", undefined)];
    expect(planBootstrap(one, limits()).privateMemory).toMatchObject({ path: "/w/memory.md" });
  });

  test("truncates a file at its limit, including the mark", () => {
    const plan = planBootstrap([file("AGENTS.md", "a".repeat(30_000))], limits());
    const [planned] = plan.projectContext;
    expect(planned).toMatchObject({ type: "present", text: expect.stringMatching(/^a+\n\[… cut here/) as string });
    expect(planned?.type === "present" && planned.text.length).toBe(20_000);
    expect(plan.truncations).toEqual([{ name: "AGENTS.md", limit: "file", keptChars: 19_987, totalChars: 30_000 }]);
  });

  test("a file truncated at its own limit counts against the total with its kept length only", () => {
    const names = ["AGENTS.md", "SOUL.md", "USER.md"] as const;
    const plan = planBootstrap(
      names.map((name) => file(name, "x".repeat(30_000))),
      limits({ maxFileChars: 20_000, maxTotalChars: 60_000 }),
    );
    expect(plan.truncations.map(({ name, limit }) => `${name} ${limit}`)).toEqual(["AGENTS.md file", "SOUL.md file", "USER.md file"]);
    expect(plan.projectContext.map((one) => (one.type === "present" ? one.text.length : 0))).toEqual([20_000, 20_000, 20_000]);
  });

  test("truncates the least important file to fit the total, private memory first", () => {
    const names = ["AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"] as const;
    const plan = planBootstrap(
      names.map((name) => file(name, "x".repeat(400))),
      limits({ maxTotalChars: 1_000 }),
    );
    expect(plan.truncations).toEqual([
      { name: "USER.md", limit: "total", keptChars: 187, totalChars: 400 },
      { name: "MEMORY.md", limit: "total", keptChars: 0, totalChars: 400 },
    ]);
    expect(plan.privateMemory).toMatchObject({ text: "" });
  });

  test("a small model gets a quarter of its window at four characters per token", () => {
    const plan = planBootstrap([file("AGENTS.md", "x".repeat(18_000))], limits({ contextWindow: 16_000 }));
    expect(plan.truncations).toMatchObject([{ limit: "total" }]);
    expect(plan.projectContext.map((one) => (one.type === "present" ? one.text.length : 0))).toEqual([16_000]);
  });

  test("a light heartbeat gets HEARTBEAT.md alone, a light cron job nothing", () => {
    const files = BOOTSTRAP_NAMES.map((name) => file(name, name));
    const light = (run: "heartbeat" | "cron") => planBootstrap(files, limits({ run, lightContext: true }));
    expect(light("heartbeat").projectContext).toEqual([{ type: "present", path: "/w/HEARTBEAT.md", text: "HEARTBEAT.md" }]);
    expect(light("heartbeat").privateMemory).toBeUndefined();
    expect(light("cron")).toEqual({ projectContext: [], truncations: [] });
  });

  test("never exceeds the limits, splits no character, and reports every truncation", () => {
    const content = fc.option(fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀", "\ud83d", "家"), maxLength: 300 }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        fc.array(content, { minLength: 9, maxLength: 9 }),
        fc.nat(250),
        fc.nat(900),
        fc.nat(1_000),
        (contents, maxFileChars, maxTotalChars, contextWindow) => {
          const files = BOOTSTRAP_NAMES.map((name, index) => file(name, contents[index]));
          const plan = planBootstrap(files, limits({ maxFileChars, maxTotalChars, contextWindow }));
          const shown = [...plan.projectContext, ...(plan.privateMemory === undefined ? [] : [plan.privateMemory])];
          const texts = shown.flatMap((one) => (one.type === "present" ? [{ path: one.path, text: one.text }] : []));
          expect(texts.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(Math.min(maxTotalChars, contextWindow));
          for (const { path, text } of texts) {
            expect(text.length).toBeLessThanOrEqual(maxFileChars);
            expect(text.isWellFormed()).toBe(true);
            const original = files
              .find((one) => one.path === path)
              ?.content?.toWellFormed()
              .trim();
            const isCut = plan.truncations.some(({ name }) => `/w/${name}` === path);
            expect(text === original).toBe(!isCut);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
