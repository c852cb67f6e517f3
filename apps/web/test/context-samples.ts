import type { ContextReport, ContextRequest } from "@factotum/protocol";

/** A stored request as the gateway lists it. */
export function sampleRequest(turn: number, changes: Partial<ContextRequest> = {}): ContextRequest {
  return {
    id: `r${String(turn).padStart(10, "0")}`,
    turnId: `turn-${turn}`,
    turn,
    request: 1,
    kind: "user",
    sentAtMs: Date.UTC(2026, 5, 15, 14, turn),
    durationMs: 1200,
    model: "demo/scripted",
    credential: "DEMO_KEY",
    thinking: "low",
    cacheRetention: "short",
    promptHash: "0123456789abcdef",
    messages: turn * 2 - 1,
    causes: turn === 1 ? ["new-session"] : [],
    usage: { input: 10, output: 5, cacheRead: 1000 * turn, cacheWrite: 200, total: 215 + 1000 * turn, costUsd: 0.0042 },
    outcome: { type: "answered", stopReason: "stop" },
    ...changes,
  };
}

/** A report with an example of everything. */
export function sampleReport(request: ContextRequest, changes: Partial<ContextReport> = {}): ContextReport {
  const size = (chars: number): { chars: number; bytes: number; tokens: number } => ({ chars, bytes: chars, tokens: Math.ceil(chars / 4) });
  return {
    sessionKey: "agent:main:main",
    sessionId: "id",
    request,
    exact: true,
    contextWindow: 200_000,
    prompt: { cause: "new-session", renderedAtMs: Date.UTC(2026, 5, 15, 14) },
    total: size(2600),
    parts: [
      {
        type: "system",
        ...size(2000),
        sections: [
          { id: "identity", title: "Identity", half: "stable", ...size(1500), text: "You are Factotum." },
          { id: "runtime", title: "Runtime", half: "session", ...size(500), text: "agent=main", omittedChars: 490 },
        ],
      },
      {
        type: "messages",
        ...size(300),
        sections: [
          {
            id: "result-1",
            title: "Result of read",
            ...size(300),
            truncation: { keptChars: 300, totalChars: 90_000 },
            ofOthers: true,
            text: "<img src=x onerror=alert(1)> a line ".repeat(30),
          },
        ],
      },
      { type: "prompt", ...size(100), sections: [{ id: "body", title: "Message", ...size(100), text: "看一下这个文件" }] },
      {
        type: "images",
        chars: 0,
        bytes: 5000,
        tokens: 1600,
        sections: [
          {
            id: "image-1",
            title: "Image 1",
            chars: 0,
            bytes: 5000,
            tokens: 1600,
            images: [{ mimeType: "image/png", bytes: 5000 }],
            text: "[image/png, 5000 bytes]",
          },
        ],
      },
      { type: "tools", ...size(200), sections: [{ id: "read", title: "read", ...size(200), text: "Reads a file." }] },
    ],
    resting: [
      { provider: "demo", model: "large", credential: "work", reason: "rate-limited", class: "transient", untilMs: 1_900_000_000_000 },
    ],
    cutFiles: [{ name: "SOUL.md", limit: "file", keptChars: 20_000, totalChars: 31_000 }],
    diff: {
      requestId: "r0000000001",
      turn: 1,
      request: 1,
      prefixHeld: false,
      firstDifference: { part: "system", section: "runtime" },
      causes: ["config-change"],
      changes: [
        { part: "system", section: "runtime", title: "Runtime", type: "changed", charsBefore: 400, charsAfter: 500 },
        { part: "messages", section: "result-1", title: "Result of read", type: "added", charsBefore: 0, charsAfter: 300 },
        { part: "tools", section: "ls", title: "ls", type: "removed", charsBefore: 120, charsAfter: 0 },
      ],
    },
    ...changes,
  };
}
