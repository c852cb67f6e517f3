import { THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, JsonObject, JsonSchema, Subagents, ToolTraits } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { AttachmentSchema, MAX_ATTACHMENTS, readAttachments } from "./read-attachments.ts";

const MAX_TASK_CHARS = 32_000;
const DAY_S = 24 * 60 * 60;
const NO_TASK = "sessions_spawn needs a task: what the sub-agent is to do.";

const SpawnSchema = z.strictObject({
  task: z.string().max(MAX_TASK_CHARS).describe("All that it has to know: it does not see this conversation, unless context is fork"),
  label: z.string().max(60).optional().describe("A short name"),
  runtime: z.enum(["subagent", "acp"]).optional().describe("acp: agentId names an external agent"),
  agentId: z.string().max(100).optional().describe("Another agent. Default: yourself"),
  model: z.string().max(200).optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  mode: z.enum(["run", "session"]).optional().describe("session: it stays open after its first result, for more messages. Default: run"),
  runTimeoutSeconds: z.int().min(1).max(DAY_S).optional().describe("Default: 3600"),
  cleanup: z.enum(["keep", "delete"]).optional().describe("Of its conversation, after its end. Default: keep"),
  toolsAllow: z.array(z.string().min(1).max(64)).max(100).optional().describe("Its only tools"),
  outputSchema: z.looseObject({}).optional().describe("JSON Schema: its result has to be one JSON value of this form"),
  disableTools: z.boolean().optional().describe("It has no tools"),
  context: z
    .enum(["isolated", "fork"])
    .optional()
    .describe("fork: it starts with this conversation, up to 100,000 tokens, for a task that needs all of it. Default: isolated"),
  attachments: z
    .array(AttachmentSchema)
    .optional()
    .describe(`Files for it, at most ${MAX_ATTACHMENTS}: copies in its workspace, named in its prompt`),
});

const TRAITS: ToolTraits = {
  effect: "delegate",
  idempotent: false,
  output: "trusted",
  network: false,
  parallel: false,
  holdsNoPlace: true,
};
const EXTERNAL_TRAITS: ToolTraits = { ...TRAITS, effect: "execute", network: true };

/** Hands a task out to a sub-agent. Returns at once; the result comes as a message of its own. */
export function createSessionsSpawnTool({ subagents, files }: { readonly subagents: Subagents; readonly files: FileAccess }): AgentTool {
  return defineTool({
    name: "sessions_spawn",
    summary: "Hand a task out to a sub-agent",
    description: [
      "Hands a task out to a sub-agent, which works in parallel in a session of its own with at most your rights. Returns at once; its result comes to you as a message.",
      "Start several for parts that do not depend on each other. Do not poll: continue, or call sessions_yield to end your turn until the results are there.",
    ].join("\n"),
    schema: SpawnSchema,
    traits: EXTERNAL_TRAITS,
    // An external agent is a program on the host.
    traitsFor: ({ runtime }) => (runtime === "acp" ? EXTERNAL_TRAITS : TRAITS),
    // eslint-disable-next-line typescript/require-await -- the port's shape
    inspect: async (args) => {
      if (args.task.trim() === "") return { type: "invalid", message: NO_TASK };
      return { type: "action", text: describeAction(args), binding: withoutUndefined(args) as JsonObject };
    },
    async execute({ task, label, agentId, model, toolsAllow, outputSchema, attachments = [], ...rest }, { run, tainted, signal, callId }) {
      if (task.trim() === "") return errorResult(NO_TASK);
      const named = { label: given(label), agentId: given(agentId), model: given(model) };
      const tools = toolsAllow === undefined || toolsAllow.length === 0 ? undefined : toolsAllow;
      const schema = outputSchema === undefined || Object.keys(outputSchema).length === 0 ? undefined : (outputSchema as JsonSchema);
      if (attachments.length > 0 && rest.disableTools === true)
        return errorResult(
          "attachments: a sub-agent without tools cannot read them. Put their text into the task, or leave disableTools out.",
        );
      const read = await readAttachments(attachments, { files, run, signal });
      if (read.type === "problem") return errorResult(read.problem);
      const attached = read.files.length === 0 ? undefined : read.files;
      const request = { task, ...withoutUndefined({ ...named, toolsAllow: tools, outputSchema: schema, attachments: attached, ...rest }) };
      const outcome = await subagents.spawn(request, { run, tainted: tainted || read.untrusted, callId });
      if (outcome.type === "refused") return errorResult(outcome.message);
      const { runId, sessionKey } = outcome;
      const details = { status: "accepted", runId, sessionKey };
      return { content: [{ type: "text", text: JSON.stringify(details) }], details };
    },
  });
}

/** What the owner is asked about: whom the task goes to, the task as it is, and what else the call says. */
function describeAction({ task, agentId, runtime, ...rest }: z.output<typeof SpawnSchema>): string {
  const whom =
    runtime === "acp"
      ? `Start the external agent ${agentId ?? "(not named)"}`
      : `Start a sub-agent${agentId === undefined ? "" : ` of ${agentId}`}`;
  const more = Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest, undefined, 2)];
  return [`${whom} with this task:`, task, ...more].join("\n");
}

/** Models fill optional parameters with "", which counts as omitted. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
