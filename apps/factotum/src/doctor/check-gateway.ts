import { createServer } from "node:net";
import type { LoadedConfig } from "@factotum/config";
import type { BlockedConversation, GatewayStatus, GatewayWarning } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { findGateway, findSilentGateway, requestError, silentError } from "../rpc/connect-gateway.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import { ok, type Finding } from "./finding.ts";

/** The gateway: it runs in this version, or its port is free. */
export async function checkGateway(context: CliContext, { config }: LoadedConfig): Promise<Finding[]> {
  try {
    using gateway = await findGateway(context);
    if (gateway !== undefined) {
      const { url, version } = gateway.facts;
      if (version === context.version) {
        return [ok("gateway", `runs at ${url}`), ...(await askGateway(gateway.client, context))];
      }
      const message = `The gateway at ${url} is of version ${version}, this command of version ${context.version}.`;
      return [{ check: "gateway", level: "warning", message, fix: 'Run "factotum gateway restart".' }];
    }
    const silent = await findSilentGateway(context);
    if (silent !== undefined) throw silentError(silent);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ check: "gateway", level: "error", message: error.message, ...withoutUndefined({ fix: error.fix }) }];
  }
  const { port, bind } = config.gateway;
  const host = bind === "loopback" ? "127.0.0.1" : bind === "lan" ? "0.0.0.0" : bind;
  const code = await tryToListen(port, host);
  if (code === undefined) return [ok("port", `the gateway is not running, and port ${port} is free`)];
  const message =
    code === "EADDRINUSE" ? `Another program uses port ${port} of ${host}.` : `Port ${port} of ${host} cannot be used (${code}).`;
  return [{ check: "port", level: "error", message, fix: portAdvice(code) }];
}

function portAdvice(code: string): string {
  if (code === "EADDRINUSE") return 'End that program, or choose another port: "factotum config set gateway.port 18791".';
  if (code === "EACCES") return 'Choose a port above 1023: "factotum config set gateway.port 18791".';
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return 'No network of this machine has this address. Choose another with gateway.bind: "factotum config set gateway.bind loopback".';
  return "Check gateway.bind and gateway.port.";
}

/** Facts from a running gateway: enforcement of command limits, refused accounts, blocked deliveries, shared sessions. */
async function askGateway(client: RpcClient, { signal }: CliContext): Promise<Finding[]> {
  try {
    const { channels, config, inputs, outbox } = await client.request("status", {}, { signal });
    const { warnings } = await client.request("warnings.list", {}, { signal });
    return [
      ...config.commandPolicy.map((line) => ok("commands", line)),
      ...warnings.flatMap(channelFinding),
      ...channels.filter(({ hasOldSecret }) => hasOldSecret === true).map(secretFinding),
      ...outbox.blocked.map(blockedFinding),
      ...deadFinding(inputs.deadLettered, outbox.deadLettered + outbox.ambiguous),
      ...warnings.filter(({ id }) => id === "storage").map((warning) => toFinding("disk", { fix: FREE_SPACE, ...warning })),
      ...warnings.filter(({ id }) => id.startsWith("sharing:")).map((warning) => toFinding("sharing", warning)),
      ...warnings.filter(({ id }) => id.startsWith("tools:")).map((warning) => toFinding("tools", warning)),
    ];
  } catch (error) {
    throw requestError(error);
  }
}

const FREE_SPACE = "Remove what you do not need on that disk; the gateway goes on by itself.";

/** An account that its platform refuses, or that has no connection. */
function channelFinding(warning: GatewayWarning): Finding[] {
  const [, account = "", channel] = /^channel:(([^/]+)\/.+)$/.exec(warning.id) ?? [];
  if (channel === undefined) return [];
  const fix = `Check channels.${channel} in the configuration and what the platform says of the account; what waits is sent once it works.`;
  return [{ ...toFinding("channel", { fix, ...warning }), account }];
}

/** An account whose secret was replaced while it runs. */
function secretFinding({ channel, accountId }: GatewayStatus["channels"][number]): Finding {
  const message = `${channel}/${accountId} still uses the secret from before it was replaced.`;
  return { check: "channel-secret", level: "warning", message, fix: 'Run "factotum gateway restart".' };
}

/** A conversation whose first unsent message waits, and the others behind it. */
function blockedFinding({ channel, accountId, conversation, threadId, waiting, sinceMs, reason }: BlockedConversation): Finding {
  const where = `${channel}/${accountId} ${conversation}${threadId === undefined ? "" : ` (thread ${threadId})`}`;
  return {
    check: "delivery",
    level: "error",
    message: `${where}: ${waiting} not sent since ${new Date(sinceMs).toISOString()} (${reason}).`,
    fix: 'Remove the reason; it is tried again by itself. "factotum status" shows the next try.',
  };
}

/** Dead letters: kept until someone handles them. */
function deadFinding(unanswered: number, unsent: number): Finding[] {
  if (unanswered + unsent === 0) return [];
  return [
    {
      check: "dead-letters",
      level: "warning",
      message: `${unanswered} could not be answered, and ${unsent} could not be sent or may not have arrived.`,
      fix: 'Run "factotum deadletters list" to see why; replay or purge them there.',
    },
  ];
}

function toFinding(check: string, { level, text, fix }: GatewayWarning): Finding {
  return { check, level, message: text, ...withoutUndefined({ fix }) };
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
