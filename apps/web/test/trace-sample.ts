import type { MessageTrace } from "@factotum/protocol";
import { sampleRequest } from "./context-samples.ts";

/** The moment at which the message of `sampleTrace` came. */
export const TRACE_START_MS: number = Date.UTC(2026, 5, 15, 14);

/** A message that waited 2 s, was answered with two requests and two tools at once, and was delivered after 1 s. */
export function sampleTrace(changes: Partial<MessageTrace> = {}): MessageTrace {
  const at = (ms: number): number => TRACE_START_MS + ms;
  return {
    sessionKey: "agent:main:main",
    sessionId: "id",
    turnId: "turn-1",
    turn: 1,
    agentId: "main",
    kind: "user",
    state: "done",
    starts: 1,
    startedAtMs: at(2000),
    endedAtMs: at(12_000),
    usage: { input: 10, output: 5, cacheRead: 1000, cacheWrite: 200, total: 1215, costUsd: 0.0042 },
    inputs: [
      {
        id: "i1",
        channel: "telegram",
        accountId: "default",
        conversation: "dm-1",
        sender: "Olga",
        eventId: "event-1",
        messageId: "message-1",
        receivedAtMs: at(0),
        state: "answered",
        text: "Read my mail",
      },
    ],
    requests: [
      sampleRequest(1, { id: "r1", sentAtMs: at(2100), durationMs: 1000 }),
      sampleRequest(1, { id: "r2", request: 2, sentAtMs: at(6000), durationMs: 5900 }),
    ],
    calls: [
      { name: "read", callId: "c1", askedAtMs: at(3100), endedAtMs: at(5100), isError: false },
      { name: "exec", callId: "c2", askedAtMs: at(3100), endedAtMs: at(6000), isError: true },
    ],
    sends: [
      {
        id: "o1",
        purpose: "reply",
        channel: "telegram",
        accountId: "default",
        conversation: "dm-1",
        createdAtMs: at(12_000),
        settledAtMs: at(13_000),
        attempts: 1,
        state: "accepted",
        messageIds: ["77"],
        text: "You have no new mail.",
      },
    ],
    ...changes,
  };
}
