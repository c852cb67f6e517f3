import type {
  AgentSessions,
  AgentTool,
  BackgroundCommands,
  ChangeChecker,
  Clock,
  CommandRunner,
  Messenger,
  PlanBoard,
  Questioner,
  Restarter,
  ScheduledJobs,
  SessionReporter,
  SettingsService,
  Subagents,
} from "@factotum/agent-contract";
import { createExecTool, type ExecToolOptions } from "./commands/exec-tool.ts";
import { createProcessTool } from "./commands/process-tool.ts";
import { createCronTool } from "./jobs/cron-tool.ts";
import type { FileAccess } from "./file-access/create-file-access.ts";
import { createEditTool } from "./files/edit-tool.ts";
import { createGatewayTool } from "./settings/gateway-tool.ts";
import { createLsTool } from "./files/ls-tool.ts";
import { createReadTool } from "./files/read-tool.ts";
import { createWriteTool } from "./files/write-tool.ts";
import { createMessageTool } from "./messages/message-tool.ts";
import { createAgentsListTool } from "./sessions/agents-list-tool.ts";
import { createSessionsHistoryTool } from "./sessions/sessions-history-tool.ts";
import { createSessionsListTool } from "./sessions/sessions-list-tool.ts";
import { createSessionsSendTool } from "./sessions/sessions-send-tool.ts";
import { createSessionsSpawnTool } from "./subagents/sessions-spawn-tool.ts";
import { createSessionsYieldTool } from "./subagents/sessions-yield-tool.ts";
import { createSubagentsTool } from "./subagents/subagents-tool.ts";
import { createSessionStatusTool } from "./sessions/session-status-tool.ts";
import { createAskUserTool } from "./questions/ask-user-tool.ts";
import { createUpdatePlanTool } from "./plans/update-plan-tool.ts";
import { createApplyPatchTool } from "./patch/apply-patch-tool.ts";
import type { PdfReader } from "./pdf/read-pdf.ts";
import { createFindTool } from "./search/find-tool.ts";
import type { TextFinder } from "./search/text-finder.ts";
import { createGrepTool } from "./search/grep-tool.ts";
import { createWebSearchTool } from "./web/search/web-search-tool.ts";
import type { WebAccess } from "./web/web-access.ts";
import { createWebFetchTool } from "./web/web-fetch-tool.ts";

/** The ports of the core tools, and their limits. */
export interface CoreToolsOptions {
  readonly files: FileAccess;
  readonly runner: CommandRunner;
  readonly messenger: Messenger;
  readonly planBoard: PlanBoard;
  readonly questioner: Questioner;
  readonly reporter: SessionReporter;
  readonly settings: SettingsService;
  readonly restarter: Restarter;
  readonly jobs: ScheduledJobs;
  readonly sessions: AgentSessions;
  readonly subagents: Subagents;
  readonly background: BackgroundCommands;
  readonly clock: Clock;
  readonly web: WebAccess;
  /** Characters of a result of read, grep, exec, process and web_fetch. Default 16,000. */
  readonly maxResultChars?: number;
  /** Maximum bytes of an image that `read` passes to the model. Default 3,750,000: 5 MB as base64, the limit of providers. */
  readonly maxImageBytes?: number;
  /** `tools.exec.timeoutSeconds`. */
  readonly execTimeoutSeconds: number;
  /** The folders in which commands find programs. Default: none. */
  readonly execSearchPath?: string;
  /** True in `tools.exec.mode: "allowlist"`: a command without shell syntax runs without a shell. Default: false. */
  readonly execAvoidsShell?: boolean;
  /** Variables for the commands of a run, such as the keys of its skills. None by default. */
  readonly commandEnvironment?: ExecToolOptions["environment"];
  readonly readPdf: PdfReader;
  /** Makes `grep` faster, such as `createRipgrep`. None by default. */
  readonly findText?: TextFinder;
  /** Finds the errors that `write`, `edit` and `apply_patch` introduce. None by default. */
  readonly changeChecker?: ChangeChecker;
}

/** The core tools: `agents_list apply_patch ask_user cron edit exec find gateway grep ls message process read session_status sessions_history sessions_list sessions_send sessions_spawn sessions_yield subagents update_plan web_fetch web_search write`, by name. One set serves every run. */
export function createCoreTools(options: CoreToolsOptions): readonly AgentTool[] {
  const { files, runner, messenger, planBoard, questioner, reporter, sessions, background, clock, web, readPdf } = options;
  const { maxResultChars = 16_000, maxImageBytes = 3_750_000, execTimeoutSeconds } = options;
  const { execSearchPath = "", execAvoidsShell = false, commandEnvironment, findText, changeChecker: checker } = options;
  return [
    createAgentsListTool({ sessions }),
    createApplyPatchTool({ files, checker }),
    createAskUserTool({ questioner }),
    createCronTool({ jobs: options.jobs, searchPath: execSearchPath }),
    createEditTool({ files, checker }),
    createExecTool({
      runner,
      files,
      background,
      clock,
      maxResultChars,
      timeoutSeconds: execTimeoutSeconds,
      searchPath: execSearchPath,
      avoidsShell: execAvoidsShell,
      environment: commandEnvironment,
    }),
    createFindTool({ files }),
    createGatewayTool({ settings: options.settings, restarter: options.restarter }),
    createGrepTool({ files, maxResultChars, findText }),
    createLsTool({ files }),
    createMessageTool({ messenger }),
    createProcessTool({ background, clock, maxResultChars }),
    createReadTool({ files, maxResultChars, maxImageBytes, readPdf }),
    createSessionStatusTool({ reporter }),
    createSessionsHistoryTool({ sessions }),
    createSessionsListTool({ sessions }),
    createSessionsSendTool({ sessions }),
    createSessionsSpawnTool({ subagents: options.subagents, files }),
    createSessionsYieldTool({ subagents: options.subagents }),
    createSubagentsTool({ subagents: options.subagents }),
    createUpdatePlanTool({ planBoard }),
    createWebFetchTool({ web, maxResultChars }),
    createWebSearchTool({ web }),
    createWriteTool({ files, checker }),
  ];
}
