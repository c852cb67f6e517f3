import type {
  AgentTool,
  AgentToolResult,
  Restarter,
  SettingsAnswer,
  SettingsChange,
  SettingsService,
  ToolTraits,
} from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

const GatewaySchema = z.strictObject({
  action: z.enum(["schema", "get", "patch", "apply", "restart"]),
  key: z.string().min(1).optional().describe("Such as agents.list[0].model. schema, get, apply; without it the whole file."),
  base: z.string().min(1).optional().describe("patch, apply: the hash that get returned."),
  patch: z.record(z.string(), z.json()).optional().describe("patch: JSON merge patch of the whole file; null removes a key."),
  value: z.json().optional().describe("apply: replaces the value of key."),
});
type GatewayArguments = z.output<typeof GatewaySchema>;

const CHANGES: ToolTraits = { effect: "config", idempotent: false, output: "trusted", network: false, parallel: false };
const READS: ToolTraits = { ...CHANGES, effect: "read", idempotent: true };

/** Reads and changes the configuration of the gateway, and restarts it. For the owner's runs; each change waits for the owner's decision (R19, R23). */
export function createGatewayTool({
  settings,
  restarter,
}: {
  readonly settings: SettingsService;
  readonly restarter: Restarter;
}): AgentTool {
  return defineTool({
    name: "gateway",
    summary: "Read and change Factotum's own settings, restart it",
    description: [
      "Reads and changes Factotum's configuration.",
      "schema: what a key takes. get: its value and the hash of the file. patch, apply: change it; the owner is shown the difference and decides.",
      'Never pass a secret: name it with {env: "NAME"} or {file: "path"}. restart: once this turn is over; only if the owner asks.',
    ].join("\n"),
    schema: GatewaySchema,
    takenBy: { patch: ["patch"], value: ["apply"] },
    traits: CHANGES,
    traitsFor: ({ action }) => (action === "schema" || action === "get" ? READS : CHANGES),
    inspect: async (args) => {
      if (args.action === "restart") return { type: "action", text: "Restart the gateway.", binding: { action: "restart" } };
      const change = changeOf(args);
      if (typeof change === "string") return { type: "invalid", message: change };
      const planned = await settings.plan(change);
      if (planned.type === "refused") return { type: "invalid", message: planned.message };
      return { type: "action", text: planned.text, binding: { ...change } };
    },
    async execute(args, { run }) {
      if (!run.owner) return errorResult("gateway was refused. Rule owner: only the owner reads and changes the settings.");
      switch (args.action) {
        case "schema":
          return toResult(await settings.describe(args.key));
        case "get":
          return toResult(await settings.read(args.key));
        case "restart":
          restarter.restartAfter(run);
          return textResult("The gateway restarts once this turn is over. Finish your answer now: it is delivered.");
        case "patch":
        case "apply": {
          const change = changeOf(args);
          return typeof change === "string" ? errorResult(change) : toResult(await settings.write(change));
        }
      }
    },
  });
}

/** The change that the arguments describe, or what is missing. */
function changeOf({ action, key, base, patch, value }: GatewayArguments): SettingsChange | string {
  if (base === undefined)
    return `${action} needs base: the hash that gateway {"action": "get"} returns. Read the key that you want to change first.`;
  if (action === "patch") {
    if (patch === undefined) return "patch needs patch: an object with the keys to change, as they are nested in the file.";
    return key === undefined ? { base, type: "merge", value: patch } : "patch takes no key: nest the keys in the object patch.";
  }
  if (value === undefined) return "apply needs value: what key is to be. To remove a key, use patch with null.";
  return { base, type: "replace", value, ...(key === undefined ? {} : { key }) };
}

function toResult(answer: SettingsAnswer): AgentToolResult {
  return answer.type === "done" ? textResult(answer.text) : errorResult(answer.message);
}
