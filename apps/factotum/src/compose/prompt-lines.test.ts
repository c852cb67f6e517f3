import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEFAULT_HEARTBEAT_PROMPT, renderEffectivePrompt, type EffectivePromptFacts } from "@factotum/agent-core";
import { NoteRules } from "@factotum/memory";
import { expect, test } from "vitest";

const FACTS: EffectivePromptFacts = {
  delimiter: "9f2c4e81a0b7",
  run: "user",
  nowMs: Date.UTC(2026, 2, 4),
  timeZone: "UTC",
  trusted: {
    channel: "test",
    chatType: "group",
    agentToAgent: { step: "message", requesterSession: "a", targetSession: "b", role: "target", turn: 1, maxTurns: 2 },
  },
  hookContext: [{ plugin: "weather", text: "It rains." }],
  media: [{ fileName: "a.jpg", mimeType: "image/jpeg" }],
  mediaReplyHint: true,
  threadHistory: [{ sender: "Bo", timestampMs: 5, body: "earlier" }],
  systemEvents: [{ timestampMs: 1, text: "Skill changed: bake" }],
  sessionHint: "interrupted",
  conversation: { chatId: "oc_1", groupSubject: "release" },
  sender: { id: "ou_1", name: "Bo" },
  replied: { senderLabel: "Bo", isQuote: true, body: "it broke" },
  threadStarter: { body: "the start" },
  chatHistory: [{ sender: "Bo", timestampMs: 7, body: "got it" }],
  forwarded: { from: "Cy", body: "text" },
  dailyNotes: [{ path: "memory/2026-03-04.md", text: "note" }],
  payload: { source: "github", body: "{}" },
  body: { type: "message", text: "" },
  untrustedNotes: [{ source: "relay", text: "seen" }],
  truncations: [{ name: "AGENTS.md", limit: "file", keptChars: 10, totalChars: 20 }],
};

/** What a plugin says is no frame of ours. */
const OTHERS = ["It rains."];

test("no line of the frame around a message can become an entry of MEMORY.md", async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "factotum-lines-"));
  const rules = new NoteRules({
    notesAt: async () => [{ agentId: "main", file: "MEMORY.md" }],
    maxCharsOf: () => 20_000,
    textsOf: async () => ({ outputs: [], said: [] }),
    record: async () => undefined,
    sourcesOf: async () => [],
    startOf: async () => undefined,
    now: () => 0,
  });
  const bodies: readonly EffectivePromptFacts["body"][] = [
    { type: "media-only" },
    { type: "reset", text: "" },
    { type: "memory-flush", notesPath: "memory/2026-03-04.md" },
    { type: "subagent", task: "look", depth: 1, maxDepth: 2, persistent: true },
    { type: "task", text: DEFAULT_HEARTBEAT_PROMPT },
  ];
  const texts = [FACTS, ...bodies.map((body) => ({ ...FACTS, body }))].map((facts) => renderEffectivePrompt(facts).text);
  const lines = new Set(texts.flatMap((text) => text.split("\n")).filter((line) => line !== "" && !OTHERS.includes(line)));
  const admitted: string[] = [];
  for (const line of lines) {
    const write = { path: path.join(folder.path, "MEMORY.md"), content: `- ${line}\n`, tainted: false, run: RUN };
    if ((await rules.change([write], async () => undefined)).type === "made") admitted.push(line);
  }
  expect(lines.size).toBeGreaterThan(30);
  expect(admitted).toEqual([]);
});

const RUN = {
  runId: "t",
  kind: "user",
  agentId: "main",
  sessionKey: "k",
  sessionId: "s",
  workspace: "/nowhere",
  owner: true,
  timeZone: "UTC",
} as const;
