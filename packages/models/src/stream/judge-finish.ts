import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelErrorCode, StopReason } from "@factotum/agent-contract";
import type { MessageAssembler } from "./message-assembler.ts";

export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** What a finished stream amounts to. */
export type Verdict =
  | { readonly type: "ended"; readonly stopReason: StopReason }
  | { readonly type: "failed"; readonly code: ModelErrorCode; readonly said?: string };

const BROKE_OFF = { type: "failed", code: "truncated" } as const satisfies Verdict;

/**
 * Decides whether an answer is complete. Only a finish that the provider itself declared counts, and tools run only after one whose calls
 * all have readable arguments; an answer that was cut at its length limit runs none, since its last call may look complete and not be.
 *
 * `rawFinish` is what the frames said, for a stream in which the SDK let an event it did not know overwrite the real finish.
 */
export function judgeFinish(
  finish: FinishPart | undefined,
  assembler: Pick<MessageAssembler, "hasCalls" | "callsAreValid" | "content">,
  rawFinish: LanguageModelV4FinishReason | undefined,
): Verdict {
  if (finish === undefined) return { ...BROKE_OFF, said: "it ended without saying that it was done" };
  const reason = finish.finishReason.unified === "error" && rawFinish !== undefined ? rawFinish : finish.finishReason;
  switch (reason.unified) {
    case "interrupted":
      return BROKE_OFF;
    case "error":
      return reason.raw === undefined ? BROKE_OFF : { ...BROKE_OFF, said: `it ended with ${reason.raw}` };
    case "content-filter":
      return reason.raw === undefined ? { type: "failed", code: "refused" } : { type: "failed", code: "refused", said: reason.raw };
    case "length":
      return { type: "ended", stopReason: "length" };
    case "stop":
    case "tool-calls":
      return judgeContent(assembler);
    case "other":
      if (assembler.content({ calls: true }).length > 0) return judgeContent(assembler);
      return { ...BROKE_OFF, said: `it ended with ${reason.raw ?? "no reason"} and no answer` };
  }
}

function judgeContent(assembler: Pick<MessageAssembler, "hasCalls" | "callsAreValid">): Verdict {
  if (!assembler.callsAreValid) return { ...BROKE_OFF, said: "a tool call came without readable arguments" };
  return { type: "ended", stopReason: assembler.hasCalls ? "toolUse" : "stop" };
}
