import { formatProblem } from "@factotum/config";
import {
  addAgent,
  bindAgent,
  changeAgent,
  noticesOnNewestBinding,
  notesOnAgent,
  removeAgent,
  unbindAgent,
  type NewMatch,
} from "../compose/agent-changes.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";

interface Format {
  readonly json: boolean;
}

/** Options of `agents add`. */
export interface AgentAddOptions extends Format {
  readonly name?: string;
  readonly model?: string;
  readonly workspace?: string;
}

/** Options of `agents set`; an empty text removes a setting. */
export interface AgentSetOptions extends Format {
  readonly name?: string;
  readonly model?: string;
  readonly default?: boolean;
}

/** Options of `agents bind`: what a message must be from. */
export interface AgentBindOptions extends Format {
  readonly channel: string;
  readonly account?: string;
  /** `kind:id`. */
  readonly peer?: string;
  readonly guild?: string;
  readonly role: readonly string[];
  readonly team?: string;
}

const PEER_KINDS = ["direct", "group", "channel"];

/** Adds an agent to the configuration, and makes its workspace with the files of a new one. */
export async function agentsAdd(context: CliContext, id: string, { json, ...given }: AgentAddOptions): Promise<number> {
  const { workspace } = await addAgent(context, { id, ...given });
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { id, workspace, gateway: reloaded ?? null });
  else {
    context.print(`The agent ${id} works in ${workspace}.\n`);
    context.print(`Say which messages it answers: factotum agents bind ${id} --channel CHANNEL\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const note of await notesOnAgent(context, id)) context.note(`note: ${formatProblem(note)}\n`);
  }
  return EXIT.ok;
}

/** Changes the name or the model of an agent, or makes it the default one. */
export async function agentsSet(
  context: CliContext,
  id: string,
  { json, name, model, default: isDefault }: AgentSetOptions,
): Promise<number> {
  const orNothing = (text: string | undefined): string | null | undefined => (text === "" ? null : text);
  await changeAgent(context, id, { name: orNothing(name), model: orNothing(model), ...(isDefault === true ? { isDefault } : {}) });
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { id, gateway: reloaded ?? null });
  else {
    context.print(`The agent ${id} is changed.\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const note of await notesOnAgent(context, id)) context.note(`note: ${formatProblem(note)}\n`);
  }
  return EXIT.ok;
}

/** Removes an agent, its bindings and its places in `broadcast` and `tools.agentToAgent` from the configuration. Its workspace and its conversations stay. */
export async function agentsRemove(context: CliContext, id: string, { json }: Format): Promise<number> {
  const { workspace } = await removeAgent(context, id);
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { id, workspace, gateway: reloaded ?? null });
  else {
    context.print(`The agent ${id} is removed. Its files stay in ${workspace}, and so do its conversations.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Gives messages to an agent: adds a binding, unless there is one for the same messages, which would take precedence. */
export async function agentsBind(context: CliContext, id: string, options: AgentBindOptions): Promise<number> {
  const { channel, account: accountId, guild: guildId, team: teamId, role: roles } = options;
  const peer = options.peer === undefined ? undefined : parsePeer(options.peer);
  const match = await bindAgent(context, id, { channel, accountId, peer, guildId, teamId, roles });
  const reloaded = await reloadGateway(context);
  if (options.json) printJson(context, { agentId: id, match, gateway: reloaded ?? null });
  else {
    context.print(`${id} answers messages from ${JSON.stringify(match)}. The order of all bindings: factotum agents bindings\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const notice of await noticesOnNewestBinding(context)) context.note(`note: ${formatProblem(notice)}\n`);
  }
  return EXIT.ok;
}

/** Removes a binding by its place. */
export async function agentsUnbind(context: CliContext, index: number, { json }: Format): Promise<number> {
  await unbindAgent(context, index);
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { index, gateway: reloaded ?? null });
  else {
    context.print(`bindings[${index}] is removed.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

function parsePeer(text: string): NonNullable<NewMatch["peer"]> {
  const [kind = "", ...rest] = text.split(":");
  const id = rest.join(":");
  if (!PEER_KINDS.includes(kind) || id === "")
    throw new CliError("usage", `"${text}" is no conversation.`, { fix: "Write it like group:-100123, direct:7, channel:C01 or group:*." });
  return { kind, id };
}
