import type { ToolSchema } from "@factotum/agent-contract";

/** True if this build's `message` tool supports `action: react`, so that the prompt may mention it. */
export function canReact(tools: readonly Pick<ToolSchema, "name" | "parameters">[]): boolean {
  const parameters = tools.find(({ name }) => name === "message")?.parameters as
    | { readonly properties?: { readonly action?: { readonly enum?: readonly unknown[]; readonly const?: unknown } } }
    | undefined;
  const action = parameters?.properties?.action;
  return action?.const === "react" || action?.enum?.includes("react") === true;
}

/** True if the session's `message` tool can address another conversation. */
export function hasTarget(tools: readonly Pick<ToolSchema, "name" | "parameters">[]): boolean {
  const parameters = tools.find(({ name }) => name === "message")?.parameters as { readonly properties?: object } | undefined;
  return parameters?.properties !== undefined && Object.hasOwn(parameters.properties, "target");
}
