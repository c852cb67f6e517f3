import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelErrorCode, StopReason } from "@factotum/agent-contract";
import { STREAM_ENDED_EARLY } from "../errors/to-model-error.ts";
import type { MessageAssembler } from "./message-assembler.ts";

export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** The outcome of a finished stream. */
export type Verdict =
  | { readonly type: "ended"; readonly stopReason: StopReason }
  | { readonly type: "failed"; readonly code: ModelErrorCode; readonly said?: string };

const BROKE_OFF = { type: "failed", code: "truncated" } as const satisfies Verdict;
const ENDED_EARLY = { ...BROKE_OFF, said: STREAM_ENDED_EARLY } as const satisfies Verdict;

/**
 * Decides whether an answer is complete. Only a finish that the provider itself declared counts. A call whose arguments cannot be parsed stays in the answer,
 * marked, so that the model is informed; an answer that was cut at its length limit keeps its calls too, and the loop runs none of them.
 *
 * `rawFinish` is the finish in the frames, for a stream in which the SDK let an unknown event overwrite the real one.
 */
export function judgeFinish(
  finish: FinishPart | undefined,
  assembler: Pick<MessageAssembler, "hasCalls" | "callsAreValid" | "content">,
  rawFinish: LanguageModelV4FinishReason | undefined,
): Verdict {
  if (finish === undefined) return ENDED_EARLY;
  const reason = finish.finishReason.unified === "error" && rawFinish !== undefined ? rawFinish : finish.finishReason;
  switch (reason.unified) {
    case "interrupted":
      return ENDED_EARLY;
    case "error":
      // Without a raw reason it is the SDK's own placeholder for a missing one.
      return reason.raw === undefined ? ENDED_EARLY : { ...BROKE_OFF, said: `it ended with ${reason.raw}` };
    case "content-filter":
      return {
        type: "failed",
        code: reason.raw === "refusal" ? "refused" : "filtered",
        ...withoutUndefined({ said: reason.raw }),
      };
    case "length":
      return { type: "ended", stopReason: "length" };
    case "stop":
    case "tool-calls":
      return ended(assembler);
    case "other":
      if (!assembler.callsAreValid) return { ...BROKE_OFF, said: "a tool call came without readable arguments" };
      if (assembler.content({ calls: true }).length > 0) return ended(assembler);
      return { ...BROKE_OFF, said: `it ended with ${reason.raw ?? "no reason"} and no answer` };
  }
}

function ended(assembler: Pick<MessageAssembler, "hasCalls">): Verdict {
  return { type: "ended", stopReason: assembler.hasCalls ? "toolUse" : "stop" };
}
