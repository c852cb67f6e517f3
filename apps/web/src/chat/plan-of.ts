/** One step of a plan. */
export interface PlanStep {
  readonly step: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** A tool call, as far as a plan depends on it. */
interface PlanCall {
  readonly name: string;
  readonly status: string;
  readonly argumentsText: string;
}

/** The plan that a call of `update_plan` shows; `undefined` for other calls, and for those that were refused. */
export function planOf({ name, status, argumentsText }: PlanCall): readonly PlanStep[] | undefined {
  if (name !== "update_plan" || status === "failed") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const steps: unknown = typeof value === "object" && value !== null && "plan" in value ? value.plan : undefined;
  return Array.isArray(steps) && steps.length > 0 && steps.every(isStep) ? steps : undefined;
}

function isStep(value: unknown): value is PlanStep {
  return (
    typeof value === "object" &&
    value !== null &&
    "step" in value &&
    typeof value.step === "string" &&
    "status" in value &&
    (value.status === "pending" || value.status === "in_progress" || value.status === "completed")
  );
}
