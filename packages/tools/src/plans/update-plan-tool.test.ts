import type { PlanStep } from "@factotum/agent-contract";
import { beforeEach, expect, test } from "vitest";
import { createToolRig, textOf } from "../../test/tool-rig.ts";
import { createUpdatePlanTool } from "./update-plan-tool.ts";

let shown: { readonly steps: readonly PlanStep[]; readonly callId: string }[];
const tool = createUpdatePlanTool({
  planBoard: {
    async show(steps, { callId }) {
      shown.push({ steps, callId });
    },
  },
});
beforeEach(() => {
  shown = [];
});

test("shows the steps and says how many are left", async () => {
  await using rig = await createToolRig();
  const plan = [
    { step: " Read the logs ", status: "completed" },
    { step: "Fix it", status: "in_progress" },
  ];
  expect(textOf(await rig.call(tool, { plan: plan.slice(1) }))).toBe("The plan is shown; 1 of 1 step is left.");
  expect(shown.splice(0)).toHaveLength(1);
  expect(textOf(await rig.call(tool, { plan }))).toBe("The plan is shown; 1 of 2 steps is left.");
  expect(shown).toEqual([
    {
      steps: [
        { step: "Read the logs", status: "completed" },
        { step: "Fix it", status: "in_progress" },
      ],
      callId: "call-1",
    },
  ]);
  expect(textOf(await rig.call(tool, { plan: [{ step: "Fix it", status: "completed" }] }))).toBe("The plan is complete.");
});

test.each([
  [[], "plan"],
  [Array.from({ length: 13 }, () => ({ step: "a", status: "pending" })), "plan"],
  [[{ step: "x".repeat(121), status: "pending" }], "plan[0].step"],
  [[{ step: "a", status: "done" }], "plan[0].status"],
])("a plan out of bounds is refused with the field: %#", async (plan, field) => {
  await using rig = await createToolRig();
  const result = await rig.call(tool, { plan });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(`- ${field}: `);
  expect(shown).toEqual([]);
});
