import type { Logger } from "@factotum/agent-contract";
import { SessionCommands } from "./background-commands/session-commands.ts";
import { AgentsSessions } from "./agent-sessions/agents-sessions.ts";
import { AgentJobs } from "./schedule/agent-jobs.ts";
import { SessionSubagents } from "./subagents/session-subagents.ts";
import { WebchatHub } from "./rpc/webchat-hub.ts";
import { Questions } from "./approvals/questions.ts";
import { ChatPlans } from "./delivery/chat-plans.ts";
import { OutboundMessenger } from "./delivery/outbound-messenger.ts";
import { ConversationSampler } from "./requests/conversation-sampler.ts";
import { ToolMedia } from "./media-tools/tool-media.ts";
import { SessionReport } from "./status/session-report.ts";
import { RestartAfterRun } from "./sessions/restart-after-run.ts";

/** Parts that are created once, and shared by every configuration. */
export interface GatewayParts {
  readonly hub: WebchatHub;
  readonly messenger: OutboundMessenger;
  readonly planBoard: ChatPlans;
  readonly questioner: Questions;
  readonly reporter: SessionReport;
  readonly restarter: RestartAfterRun;
  readonly media: ToolMedia;
  readonly sampler: ConversationSampler;
  readonly sessionCommands: SessionCommands;
  readonly agentJobs: AgentJobs;
  readonly agentsSessions: AgentsSessions;
  readonly subagents: SessionSubagents;
}

/** Creates them. They are connected once there is an engine. */
export function createGatewayParts({
  onRestartRequest,
  logger,
}: {
  readonly onRestartRequest: () => Promise<void>;
  readonly logger: Logger;
}): GatewayParts {
  return {
    hub: new WebchatHub(),
    messenger: new OutboundMessenger(),
    planBoard: new ChatPlans(),
    questioner: new Questions(),
    reporter: new SessionReport(),
    restarter: new RestartAfterRun({ requestRestart: onRestartRequest, logger }),
    media: new ToolMedia(),
    sampler: new ConversationSampler(),
    sessionCommands: new SessionCommands(),
    agentJobs: new AgentJobs(),
    agentsSessions: new AgentsSessions(),
    subagents: new SessionSubagents(),
  };
}
