import type { ChannelStatus, GatewayStatus, GatewayWarning } from "@factotum/protocol";
import type { DamageEvent, PairingRecord } from "@factotum/store";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { FailedAgentRun } from "../observe/failed-runs.ts";
import type { MediaProblems, MediaService } from "../observe/media-problems.ts";
import type { BlockedConversation } from "../delivery/blocked-conversations.ts";
import { timeText } from "../notices/session-notices.ts";

/** The sources of warnings; all in memory, nothing is read. */
export interface WarningSources {
  readonly config: GatewayStatus["config"];
  readonly storage: Pick<StorageGuard, "problem" | "shortage">;
  /** Unacknowledged damage, oldest first. */
  readonly damage: readonly DamageEvent[];
  readonly channels: readonly ChannelStatus[];
  /** People who ask to be admitted. */
  readonly pairings: readonly PairingRecord[];
  /** Agents whose newest run has failed. */
  readonly failedRuns: readonly FailedAgentRun[];
  /** Services for media whose newest use has failed. */
  readonly mediaProblems: ReturnType<MediaProblems["list"]>;
  /** Sources of tools that cannot be used. */
  readonly toolProblems: readonly { readonly source: string; readonly problem: string }[];
  /** The external agents, and why one cannot be started. */
  readonly externalProblems: readonly { readonly id: string; readonly problem: string | undefined }[];
  /** Conversations whose first unsent message waits. */
  readonly blocked: readonly Pick<BlockedConversation, "target" | "sinceMs" | "reason" | "isLate">[];
  /** Keys of the owner's sessions with messages of more than one person. */
  readonly sharedSessions: readonly string[];
}

/** Current warnings for the owner, the worst first. */
export function gatewayWarnings({
  config,
  storage,
  damage,
  channels,
  pairings,
  failedRuns,
  mediaProblems,
  toolProblems,
  externalProblems,
  blocked,
  sharedSessions,
}: WarningSources): readonly GatewayWarning[] {
  const warnings = [
    ...storageWarning(storage),
    ...configWarnings(config),
    ...failedRuns.map(failureWarning),
    ...mediaProblems.map(mediaWarning),
    ...toolProblems.map(toolWarning),
    ...externalProblems.flatMap(externalWarning),
    ...channels.flatMap(channelWarning),
    ...lateWarnings(blocked.filter(({ isLate }) => isLate)),
    ...pairings.map(pairingWarning),
    ...damageWarning(damage),
    ...sharedSessions.map(sharingWarning),
  ];
  return [...warnings.filter(({ level }) => level === "error"), ...warnings.filter(({ level }) => level === "warning")];
}

function storageWarning({ problem, shortage }: WarningSources["storage"]): readonly GatewayWarning[] {
  if (problem !== undefined) return [{ id: "storage", level: "error", text: `No messages are taken. ${problem.reason}` }];
  return shortage === undefined ? [] : [{ id: "storage", level: "warning", text: `The disk is nearly full. ${shortage}` }];
}

/** The reason itself, which people in groups do not get. */
function failureWarning({ agentId, sessionKey, text, needsOwner }: FailedAgentRun): GatewayWarning {
  return {
    id: `run:${agentId}`,
    level: needsOwner ? "error" : "warning",
    text: `The newest run of the agent ${agentId} failed. ${text}`,
    facts: { code: "run-failed", values: { agent: agentId, reason: text, session: sessionKey } },
  };
}

const MEDIA_FAILURES: Readonly<Record<MediaService, string>> = {
  transcription: "The newest recording was not transcribed",
  speech: "The newest answer was not spoken",
};

function mediaWarning({ service, text }: WarningSources["mediaProblems"][number]): GatewayWarning {
  return { id: `media:${service}`, level: "warning", text: `${MEDIA_FAILURES[service]}: ${text}` };
}

function toolWarning({ source, problem }: WarningSources["toolProblems"][number]): GatewayWarning {
  return {
    id: `tools:${source}`,
    level: "warning",
    // A plugin may have hooks and no tools.
    text: source.startsWith("plugin:")
      ? `The ${source.replace(":", " ")} has failed: ${problem}.`
      : `The tools of ${source} cannot be used: ${problem}.`,
    fix: `Check its settings and what it needs; it is tried again when it is used.`,
    facts: { code: "tools-unusable", values: { source, reason: problem } },
  };
}

function externalWarning({ id, problem }: WarningSources["externalProblems"][number]): readonly GatewayWarning[] {
  if (problem === undefined) return [];
  const fix = `Install it, or name it by its full path: factotum config set acp.agents.${id}.command PATH`;
  const facts = { code: "agent-unusable", values: { agent: id, reason: problem } } as const;
  return [{ id: `acp:${id}`, level: "warning", text: `The external agent ${id} cannot be started: ${problem}.`, fix, facts }];
}

function configWarnings({ path, fileHash, runningHash, problems, needsRestart }: GatewayStatus["config"]): readonly GatewayWarning[] {
  const isUsed = fileHash === runningHash;
  const told = problems.join("; ");
  const file: GatewayWarning = isUsed
    ? { id: "config", level: "warning", text: `${path}: ${told}.`, fix: 'See "factotum config validate".' }
    : {
        id: "config",
        level: "error",
        // For a missing file, the problem itself says which configuration is used.
        text: fileHash === undefined ? `${told}.` : `${path} is not used, and what ran before goes on: ${told}.`,
        fix: `${fileHash === undefined ? "It is used as soon as it is there" : "Repair it; it is used as soon as it is good"}. "factotum config validate" checks it.`,
        ...(fileHash !== undefined && { facts: { code: "file-unused", values: { path, reason: told } } as const }),
      };
  const restart: GatewayWarning = {
    id: "restart",
    level: "warning",
    text: `${needsRestart.join(", ")}: changed since the start of the gateway.`,
    fix: 'Run "factotum gateway restart".',
    facts: { code: "restart-needed", values: { keys: needsRestart.join(", ") } },
  };
  return [...(problems.length === 0 ? [] : [file]), ...(needsRestart.length === 0 ? [] : [restart])];
}

/** An account that is starting is unknown yet; one that is off is off on purpose. */
function channelWarning({ channel, accountId, state, detail }: ChannelStatus): readonly GatewayWarning[] {
  const base = { id: `channel:${channel}/${accountId}` };
  const values = { account: `${channel}/${accountId}`, ...(detail !== undefined && { reason: detail }) };
  const why = detail === undefined ? "." : `: ${detail}.`;
  switch (state) {
    case "failed": {
      const fix = `Check channels.${channel} in the configuration, and the network if the address cannot be reached; it is tried again with each change, and by itself where that can help.`;
      return [
        {
          ...base,
          level: "error",
          text: `${channel}/${accountId} could not be started${why}`,
          fix,
          facts: { code: "channel-failed", values },
        },
      ];
    }
    case "disconnected":
      return [
        {
          ...base,
          level: "error",
          text: `${channel}/${accountId} is not connected${why}`,
          fix: "It goes on trying by itself; what is to be sent waits.",
          facts: { code: "channel-disconnected", values },
        },
      ];
    case "degraded":
      return [
        {
          ...base,
          level: "warning",
          text: `${channel}/${accountId} does not work as it should${why}`,
          facts: { code: "channel-degraded", values },
        },
      ];
    case "starting":
    case "connected":
    case "stopped":
    case "disabled":
      return [];
  }
}

/** The name is the sender's own choice: the quotes show where it ends. */
function pairingWarning({ channel, accountId, senderId, senderName, code }: PairingRecord): GatewayWarning {
  const name = senderName === undefined ? "" : `, who writes as ${JSON.stringify(senderName)},`;
  return {
    id: `pairing:${code}`,
    level: "warning",
    text: `${senderId}${name} asks to write to ${channel}/${accountId} (code ${code}).`,
    fix: `If you know this person: factotum pairing approve ${code}. If not: factotum pairing reject ${code}.`,
    facts: {
      code: "pairing",
      values: { account: `${channel}/${accountId}`, sender: senderId, code, ...(senderName !== undefined && { name: senderName }) },
    },
  };
}

/** One per account. Its text is stable across attempts, since every change is sent to all connected clients. */
function lateWarnings(late: WarningSources["blocked"]): readonly GatewayWarning[] {
  const accounts = Map.groupBy(late, ({ target }) => `${target.channel}/${target.accountId}`);
  return [...accounts].map(([account, [oldest, ...others]]) => {
    const where = others.length === 0 ? "a conversation" : `${others.length + 1} conversations`;
    const since = oldest === undefined ? "" : ` since ${timeText(oldest.sinceMs)}: ${oldest.reason}`;
    return {
      id: `late:${account}`,
      level: "warning",
      text: `Messages to ${where} on ${account} wait${since}.`,
      fix: 'They are sent by themselves as soon as that is possible. "factotum status" shows the next try.',
      facts: { code: "messages-late", values: { account, ...(oldest !== undefined && { reason: oldest.reason }) } },
    };
  });
}

/** Newest events that are listed in full. */
const TOLD_DAMAGE = 3;

function damageWarning(events: readonly DamageEvent[]): readonly GatewayWarning[] {
  if (events.length === 0) return [];
  const told = events.slice(-TOLD_DAMAGE).toReversed();
  const more = events.length - told.length;
  return [
    {
      id: "damage",
      level: events.every(({ isComplete }) => isComplete) ? "warning" : "error",
      text: [
        ...told.map(damageText),
        ...(more === 0 ? [] : [`There is more damage of ${more === 1 ? "one kind" : `${more} kinds`}.`]),
      ].join(" "),
      fix: 'Check the disk, and keep a copy of the state directory. "factotum damage list" shows it; "factotum damage acknowledge" ends this notice.',
    },
  ];
}

function damageText({ kind, atMs, text, path, count, sessionKey }: DamageEvent): string {
  const time = timeText(atMs);
  const where = sessionKey === undefined ? "" : ` in ${sessionKey}`;
  switch (kind) {
    case "rows":
      return `${time}: ${text} (${count === 1 ? "One row" : `${count} rows`}${where}.)`;
    case "database":
      return `${time}: ${text} The files from before are kept in ${path ?? "the state folder"}.`;
    case "snapshots":
      return `${time}: ${text}`;
  }
}

function sharingWarning(sessionKey: string): GatewayWarning {
  return {
    id: `sharing:${sessionKey}`,
    level: "warning",
    text: `Messages of more than one person come into the session ${sessionKey}: each can learn what the others have said.`,
    fix: "Remove session.sharedMain, or name the ids of one person in session.identityLinks.",
  };
}
