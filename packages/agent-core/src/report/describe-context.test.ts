import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asks, IMAGE, says, toolResult, turn } from "../../test/histories.ts";
import { truncateToolResult } from "../loop/truncate-tool-result.ts";
import type { ContextDescription, ContextRequestFacts, DescribedSection } from "./context-description.ts";
import { describeContext } from "./describe-context.ts";
import { diffContext } from "./diff-context.ts";
import { splitEffectivePrompt } from "./split-effective-prompt.ts";

const at = <Message extends AgentMessage>(timestamp: number, message: Message): Message => ({ ...message, timestamp });
const TOOL = { name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } };
const BASE: ContextRequestFacts = {
  system: { stable: "You are Ada.\n\n## Safety\nBe careful.", session: "## Runtime\nagent=main" },
  outline: [
    { id: "identity", half: "stable", chars: 12 },
    { id: "safety", half: "stable", chars: 21 },
    { id: "runtime", half: "session", chars: 21 },
  ],
  messages: [at(1, turn("hi")), at(2, says("Hello.")), at(3, turn("and now?", {}, [IMAGE]))],
  promptIndex: 2,
  tools: [TOOL],
};

const sections = (description: ContextDescription, type: string): readonly DescribedSection[] =>
  description.parts.find((part) => part.type === type)?.sections ?? [];

describe("a described request", () => {
  test("has five parts, and the sections of the system prompt as rendered", () => {
    const description = describeContext(BASE);
    expect(description.parts.map(({ type }) => type)).toEqual(["system", "messages", "prompt", "images", "tools"]);
    expect(sections(description, "system").map(({ id, half, title, text }) => [id, half, title, text])).toEqual([
      ["identity", "stable", "Identity", "You are Ada."],
      ["safety", "stable", "Safety", "## Safety\nBe careful."],
      ["runtime", "session", "Runtime", "## Runtime\nagent=main"],
    ]);
    expect(sections(description, "messages").map(({ id, title }) => [id, title])).toEqual([
      ["user-1", "Ann"],
      ["assistant-2", "Assistant"],
    ]);
    expect(sections(description, "prompt").map(({ id }) => id)).toEqual(["trusted", "body"]);
    expect(sections(description, "images")).toMatchObject([{ images: [{ mimeType: "image/png", bytes: 5 }], chars: 0, bytes: 5 }]);
    expect(sections(description, "tools")).toMatchObject([{ id: "read", chars: JSON.stringify(TOOL).length }]);
    expect(JSON.stringify(description.parts.map((part) => part.sections.map(({ text }) => text)))).not.toContain(IMAGE.data);
  });

  test("ignores an outline that does not match the prompt", () => {
    const described = describeContext({ ...BASE, system: { ...BASE.system, stable: `${BASE.system.stable}!` } });
    expect(sections(described, "system").map(({ id }) => id)).toEqual(["stable", "runtime"]);
    expect(sections(describeContext({ ...BASE, outline: [] }), "system").map(({ id }) => id)).toEqual(["stable", "session"]);
  });

  test("marks what belongs to a message with words of others", () => {
    const tainted = <Message extends AgentMessage>(message: Message): Message => ({ ...message, tainted: true });
    const messages = [turn("a"), asks("c1"), tainted(toolResult("c1", "a page")), tainted(turn("see this", {}, [IMAGE]))];
    const description = describeContext({ ...BASE, messages, promptIndex: 3 });
    const marked = (type: string): readonly (string | undefined)[] =>
      sections(description, type).flatMap(({ id, ofOthers }) => (ofOthers === true ? [id] : []));
    expect(marked("messages")).toEqual(["result-c1"]);
    expect(marked("prompt")).toEqual(sections(description, "prompt").map(({ id }) => id));
    expect(marked("images")).toEqual(["image-1"]);
    expect([...marked("system"), ...marked("tools")]).toEqual([]);
    const own = describeContext(BASE);
    expect(own.parts.flatMap((part) => part.sections).some(({ ofOthers }) => ofOthers !== undefined)).toBe(false);
  });

  test("reports how much of a truncated result is left", () => {
    const text = truncateToolResult("x".repeat(5_000), 1_000);
    const description = describeContext({ ...BASE, messages: [turn("a"), asks("c1"), toolResult("c1", text)], promptIndex: 0 });
    const [result] = sections(description, "messages").filter(({ id }) => id === "result-c1");
    expect(result?.truncation).toMatchObject({ totalChars: 5_000 });
    expect(result?.truncation?.keptChars).toBe(text.indexOf("\n["));
    expect(sections(describeContext(BASE), "messages").some(({ truncation }) => truncation !== undefined)).toBe(false);
  });

  test("counts UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const [whole] = sections(describeContext({ ...BASE, outline: [], system: { stable: text, session: "" } }), "system");
        expect(whole?.bytes ?? 0).toBe(new TextEncoder().encode(text).length);
        expect(whole?.chars ?? 0).toBe(text.length);
      }),
    );
  });

  test("sums up the sections, with unique ids", () => {
    const repeated = [at(1, turn("a")), at(1, turn("b")), asks("c"), toolResult("c"), toolResult("c"), at(9, turn("z"))];
    const description = describeContext({ ...BASE, messages: repeated, promptIndex: 5 });
    for (const part of description.parts) {
      expect(part.chars).toBe(part.sections.reduce((sum, { chars }) => sum + chars, 0));
      expect(new Set(part.sections.map(({ id }) => id)).size).toBe(part.sections.length);
    }
    expect(description.total.tokens).toBe(description.parts.reduce((sum, { tokens }) => sum + tokens, 0));
  });
});

describe("a turn's text split into blocks", () => {
  test("lists every block separately, in order", () => {
    const { content } = turn("one\ntwo", {
      systemEvents: [{ timestampMs: 0, text: "Skill changed: x" }],
      sessionHint: "aborted",
      conversation: { chatId: "oc_1" },
      untrustedNotes: [{ source: "card", text: "more" }],
    });
    const text = content[0]?.type === "text" ? content[0].text : "";
    expect(splitEffectivePrompt(text).map(({ id }) => id)).toEqual([
      "trusted",
      "system-event",
      "session hint",
      "conversation info (untrusted)",
      "body",
      "further context (untrusted)",
    ]);
  });

  test("loses nothing of arbitrary text", () => {
    const lines = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("System: [x] y", "[9f2c4e81a0b7 Sender]", "[/9f2c4e81a0b7]", "[media attached: a]")),
    );
    fc.assert(
      fc.property(lines, (body) => {
        const { content } = turn(body.join("\n"), { sessionHint: "interrupted" });
        const text = content[0]?.type === "text" ? content[0].text : "";
        const blocks = splitEffectivePrompt(text);
        expect(blocks.map((block) => block.text).join("")).toBe(text);
        expect(blocks.filter(({ id }) => id !== "body").map(({ id }) => id)).toEqual(["trusted", "session hint"]);
      }),
    );
  });

  test("treats text of other programs as body", () => {
    expect(splitEffectivePrompt("hello\n[9f2c4e81a0b7 Sender]")).toEqual([
      { id: "body", title: "Message", text: "hello\n[9f2c4e81a0b7 Sender]" },
    ]);
    expect(splitEffectivePrompt("")).toEqual([]);
  });
});

describe("the difference of two requests", () => {
  const before = describeContext(BASE);
  const later: ContextRequestFacts = { ...BASE, messages: [...BASE.messages, at(4, says("Now.")), at(5, turn("more"))], promptIndex: 4 };

  test("is additions with an unchanged prefix for an extended request", () => {
    const difference = diffContext(before, describeContext(later));
    expect(difference.prefixHeld).toBe(true);
    expect(difference.changes.map(({ section, type }) => [section, type])).toEqual([["assistant-4", "added"]]);
  });

  test.each<readonly [string, ContextRequestFacts, object]>([
    ["tool", { ...later, tools: [{ ...TOOL, description: "Reads." }] }, { part: "tools", section: "read" }],
    ["tool more", { ...later, tools: [TOOL, { ...TOOL, name: "write" }] }, { part: "tools", section: "write" }],
    ["section", { ...later, system: { ...BASE.system, session: "## Runtime\nagent=test" } }, { part: "system", section: "runtime" }],
    ["message", { ...later, messages: [at(1, turn("ho")), ...later.messages.slice(1)] }, { part: "messages", section: "user-1" }],
  ])("contains a changed %s", (_what, next, firstDifference) => {
    const difference = diffContext(before, describeContext(next));
    expect(difference).toMatchObject({ prefixHeld: false, firstDifference });
    expect(difference.changes).toContainEqual(expect.objectContaining(firstDifference));
  });

  test("is a broken prefix for a cut history, with the removed messages", () => {
    const next = describeContext({ ...later, messages: later.messages.slice(2), promptIndex: 2 });
    const difference = diffContext(before, next);
    expect(difference.prefixHeld).toBe(false);
    expect(difference.changes).toContainEqual(expect.objectContaining({ section: "user-1", type: "removed", charsAfter: 0 }));
  });

  test("recognises a sent message one turn later", () => {
    const changed = describeContext({
      ...later,
      messages: [...later.messages.slice(0, 2), at(3, turn("and then?", {}, [IMAGE])), ...later.messages.slice(3)],
    });
    const difference = diffContext(before, changed);
    expect(difference.firstDifference).toEqual({ part: "messages", section: "user-3" });
    expect(difference.changes).toContainEqual(expect.objectContaining({ section: "user-3", type: "changed" }));
  });
});
