import type { AgentToolResult } from "@factotum/agent-contract";
import type { CallOutcome } from "./running-server.ts";

/** What became of a request to a server that may have had to be started for it. */
export type Outcome =
  | CallOutcome
  /** It could not be started. */
  | { readonly type: "down"; readonly message: string }
  /** It was stopped during the request, because its settings have changed. */
  | { readonly type: "stopped" };

/** Why a server that its settings no longer name is not used. */
export const SETTINGS_CHANGED = "it was removed, or its settings have changed";

/** What the result is about. `problem`: why the server cannot be used. */
interface Facts {
  readonly server: string;
  readonly problem: string | undefined;
}

/** The result of a tool's call, with what to do after a failure. */
export function renderCallOutcome(outcome: Outcome, { server, problem = "it failed" }: Facts): AgentToolResult {
  switch (outcome.type) {
    case "result":
      return outcome.result;
    case "down":
      return failure(`The MCP server ${server} cannot be used now: ${outcome.message}. Do without it, or tell the owner.`);
    case "stopped":
      return failure(
        `The MCP server ${server} has ended during the call: ${SETTINGS_CHANGED}. The call may have taken effect: look before doing it again.`,
      );
    case "failed":
      return failure(
        `${outcome.message} Look whether it took effect before you try again, and check the arguments against the tool's parameters.`,
      );
    case "refused":
      return failure(`The MCP server ${server} refused the call: ${problem}. Do without it, or tell the owner.`);
    case "lost":
      return failure(
        `The connection to the MCP server ${server} was lost: ${outcome.message}. The call may have taken effect: look before doing it again. The next call starts the server again.`,
      );
  }
}

/** The result of a prompt, which changes nothing. */
export function renderPromptOutcome(outcome: Outcome, { server, problem = "it failed" }: Facts): AgentToolResult {
  switch (outcome.type) {
    case "result":
      return outcome.result;
    case "failed":
      return failure(outcome.message);
    case "refused":
      return failure(`The MCP server ${server} refused: ${problem}.`);
    case "stopped":
      return failure(`The MCP server ${server} cannot be used now: ${SETTINGS_CHANGED}.`);
    case "down":
    case "lost":
      return failure(`The MCP server ${server} cannot be used now: ${outcome.message}.`);
  }
}

function failure(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
