import type { AgentMessage, RunKind } from "@factotum/agent-contract";
import { type EffectivePromptFacts, renderEffectivePrompt, withoutQuietRuns } from "../src/index.ts";
import { DEFAULT_HEARTBEAT_PROMPT } from "../src/prompt/heartbeat-prompt.ts";
import { toolResult } from "./histories.ts";
import { assistant, call } from "./scripted-model.ts";

/** What differs between machines, times and messages. */
export interface Surroundings {
  readonly nowMs: number;
  readonly delimiter: string;
  readonly messageId: string;
  readonly host: string;
}

/** The facts of a turn without a person, unless `parts` say otherwise. */
export function turnFacts(at: Surroundings, run: RunKind, parts: Partial<EffectivePromptFacts>): EffectivePromptFacts {
  return {
    delimiter: at.delimiter,
    run,
    nowMs: at.nowMs,
    timeZone: "Asia/Shanghai",
    trusted: {},
    systemEvents: [],
    body: { type: "message", text: "" },
    untrustedNotes: [],
    ...parts,
  };
}

/** One earlier turn, as sent: its bytes are older than every clock of these tests. */
export function earlier(): readonly AgentMessage[] {
  const sent = renderEffectivePrompt({
    ...turnFacts({ nowMs: Date.UTC(2026, 2, 3, 9), delimiter: "0a1b2c3d4e5f", messageId: "om_0", host: "" }, "user", {}),
    trusted: { channel: "feishu", chatType: "direct", sender: "a1b2c3d4e5f6", owner: true, messageId: "om_0" },
    body: { type: "message", text: "What is in notes.md?" },
    storedSender: { id: "ou_1", name: "Ann", owner: true },
  });
  return [
    { role: "user", content: [{ type: "text", text: sent.text }], parts: sent.parts, timestamp: 0 },
    assistant("", [call("c1", "read", { path: "notes.md" })]),
    { ...toolResult("c1", "- buy paper for inky"), toolName: "read" },
    assistant("One line: buy paper for inky."),
  ];
}

/** A conversation with two heartbeats: one with something to report and one without. */
export function withHeartbeats(): readonly AgentMessage[] {
  const at = { nowMs: Date.UTC(2026, 2, 3, 9, 30), delimiter: "1a2b3c4d5e6f", messageId: "", host: "" };
  const sent = renderEffectivePrompt({ ...turnFacts(at, "heartbeat", {}), body: { type: "task", text: DEFAULT_HEARTBEAT_PROMPT } });
  const poll: AgentMessage = { role: "user", content: [{ type: "text", text: sent.text }], parts: sent.parts, timestamp: 0 };
  const quiet = [poll, assistant("", [call("c2", "read", { path: "HEARTBEAT.md" })]), toolResult("c2"), assistant("HEARTBEAT_OK")];
  return withoutQuietRuns([...earlier(), ...quiet, poll, assistant("The backup of last night failed."), ...quiet], { isOpen: false });
}

/** The conversation of a parent that forks, in the middle of its turn. */
export function forked(): readonly AgentMessage[] {
  const started = "You are the sub-agent that this call has started. The agent that made the call continues this conversation without you.";
  return [
    ...earlier(),
    { role: "user", content: [{ type: "text", text: "Then see to it." }], timestamp: 0 },
    assistant("I hand it out.", [call("c3", "sessions_spawn", { task: "Find out why the build of main fails.", context: "fork" })]),
    { ...toolResult("c3", started), toolName: "sessions_spawn" },
  ];
}
