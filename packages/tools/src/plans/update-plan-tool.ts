import { plural } from "@factotum/agent-contract";
import type { AgentTool, PlanBoard } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";

const MAX_STEPS = 12;
/** A plan of the longest steps fits into one message of every chat that can edit messages. */
const MAX_STEP_CHARS = 120;

const UpdatePlanSchema = z.strictObject({
  plan: z
    .array(
      z.strictObject({
        step: z.string().trim().min(1).max(MAX_STEP_CHARS),
        status: z.enum(["pending", "in_progress", "completed"]),
      }),
    )
    .min(1)
    .max(MAX_STEPS),
});

/** Keeps a short plan that people see. The call itself is the plan: it stays in the transcript, so a restart loses nothing. */
export function createUpdatePlanTool({ planBoard }: { readonly planBoard: PlanBoard }): AgentTool {
  return defineTool({
    name: "update_plan",
    summary: "Show the steps of a longer task",
    description: "Shows the user your plan for a longer task. Give all steps, each time one changes.",
    schema: UpdatePlanSchema,
    // After a crash it is called again: the same plan changes nothing.
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false },
    async execute({ plan }, { callId, run }) {
      await planBoard.show(plan, { callId, run });
      const left = plan.filter(({ status }) => status !== "completed").length;
      return textResult(
        left === 0
          ? "The plan is complete."
          : `The plan is shown; ${left} of ${plural(plan.length, "step")} ${left === 1 ? "is" : "are"} left.`,
      );
    },
  });
}
