import type { ToolCall, ToolResultMessage } from "@factotum/agent-contract";

/** Verdict on the last calls. */
export type LoopVerdict =
  | { readonly type: "none" }
  /** Repetition: `note` is appended to the result for the model. */
  | { readonly type: "repeating"; readonly note: string }
  /** A loop: the run ends; `message` is for people. */
  | { readonly type: "loop"; readonly message: string };

interface Step {
  /** Tool, arguments and whether it failed. */
  readonly key: string;
  readonly name: string;
  readonly content: ToolResultMessage["content"];
}

const MAX_PERIOD = 4;
const REPEATS_TO_NOTE = 3;
const REPEATS_TO_END_ONE = 5;
const REPEATS_TO_END_CYCLE = 4;
const WINDOW = MAX_PERIOD * REPEATS_TO_END_CYCLE;

/**
 * Detects loops: the same tool, arguments and result in a row, or a cycle of up to four calls. A call with another result restarts the count, so polling for a
 * change is not a loop.
 */
export class LoopDetector {
  #steps: Step[] = [];

  /** Records one finished call, in the order in which the model sees the results. */
  record(call: ToolCall, result: Pick<ToolResultMessage, "content" | "isError">): LoopVerdict {
    const key = JSON.stringify([call.name, call.arguments, result.isError]);
    this.#steps = [...this.#steps, { key, name: call.name, content: result.content }].slice(-WINDOW);
    let verdict: LoopVerdict = { type: "none" };
    for (let period = 1; period <= MAX_PERIOD; period++) {
      const repeats = trailingRepeats(this.#steps, period);
      if (repeats >= (period === 1 ? REPEATS_TO_END_ONE : REPEATS_TO_END_CYCLE)) {
        return { type: "loop", message: `The run was ended because it went in circles: ${this.#describe(period, repeats)}.` };
      }
      if (repeats >= REPEATS_TO_NOTE && verdict.type === "none") {
        verdict = { type: "repeating", note: `[Note: ${this.#describe(period, repeats)}. Change the approach, or say what blocks you.]` };
      }
    }
    return verdict;
  }

  /** Resets the counts after a new message. */
  reset(): void {
    this.#steps = [];
  }

  #describe(period: number, repeats: number): string {
    const names = this.#steps.slice(-period).map(({ name }) => name);
    return `${names.join(", ")} ${repeats} times in a row with equal arguments and equal results`;
  }
}

/** The number of repetitions of the last `period` steps at the end. */
function trailingRepeats(steps: readonly Step[], period: number): number {
  let matched = 0;
  for (let index = steps.length - 1; index >= period; index--) {
    const step = steps[index];
    const earlier = steps[index - period];
    if (step === undefined || earlier === undefined || !isSameStep(step, earlier)) break;
    matched++;
  }
  return steps.length < period ? 0 : 1 + Math.floor(matched / period);
}

function isSameStep(left: Step, right: Step): boolean {
  if (left.key !== right.key || left.content.length !== right.content.length) return false;
  return left.content.every((part, index) => {
    const other = right.content[index];
    if (part.type === "text") return other?.type === "text" && other.text === part.text;
    return other?.type === "image" && other.data === part.data;
  });
}
