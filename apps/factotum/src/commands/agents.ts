import type { AgentBinding } from "@factotum/protocol";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { foreignText } from "../runtime/foreign-text.ts";
import { paint } from "../runtime/paint.ts";
import { renderTable } from "../runtime/render-table.ts";

interface Format {
  readonly json: boolean;
}

/** Lists the agents of the running gateway in the order of the configuration, and the conversations that several of them answer. */
export async function agentsList(cli: CliContext, { json }: Format): Promise<number> {
  const found = await requestGateway(cli, "agents.list", {});
  if (json) printJson(cli, found);
  else {
    const rows = found.agents.map(({ id, name, emoji, model, workspace, isDefault }) => [
      id,
      emoji === undefined ? name : `${emoji} ${name}`,
      model ?? "unusable",
      workspace,
      isDefault ? "default" : "",
    ]);
    printTable(cli, ["AGENT", "NAME", "MODEL", "WORKSPACE", ""], rows);
    if (found.broadcast !== undefined) {
      const { strategy, peers } = found.broadcast;
      const shared = Object.entries(peers).map(([peer, ids]) => [foreignText(peer), ids.join(", "), strategy]);
      cli.print("\n");
      printTable(cli, ["BROADCAST", "AGENTS", "STRATEGY"], shared);
    }
  }
  return EXIT.ok;
}

/** Lists the bindings of the running gateway, strongest first, and the agent of all other messages. */
export async function agentsBindings(cli: CliContext, { json }: Format): Promise<number> {
  const found = await requestGateway(cli, "agents.bindings", {});
  if (json) printJson(cli, found);
  else {
    const rows = found.bindings.map((binding) => [
      `bindings[${binding.index}]`,
      binding.externalAgent === undefined ? binding.agentId : `${binding.agentId} (acp/${binding.externalAgent})`,
      binding.tier,
      describeMatch(binding.match),
      binding.dmScope ?? "",
    ]);
    const rest = ["", found.defaultAgentId, "default", "every other message", ""];
    printTable(cli, ["BINDING", "AGENT", "KIND", "MATCHES", "DM SCOPE"], [...rows, rest]);
  }
  return EXIT.ok;
}

function describeMatch({ channel, accountId = "default", peer, guildId, roles, teamId }: AgentBinding["match"]): string {
  return [
    accountId === "*" ? `every account of ${channel}` : `${channel}/${accountId}`,
    ...(peer === undefined ? [] : [peer.id === "*" ? `every ${peer.kind} conversation` : `${peer.kind} ${foreignText(peer.id)}`]),
    ...(guildId === undefined ? [] : [`guild ${foreignText(guildId)}`]),
    ...(teamId === undefined ? [] : [`team ${foreignText(teamId)}`]),
    ...(roles === undefined ? [] : [`role ${roles.map((role) => foreignText(role)).join(" or ")}`]),
  ].join(", ");
}

function printTable(cli: CliContext, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const painted = headings.map((words) => (words === "" ? words : paint(cli, "heading", words)));
  cli.print(renderTable(painted, rows));
}
