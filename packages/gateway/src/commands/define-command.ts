import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ExternalAgents, Logger } from "@factotum/agent-contract";
import type { Cooldowns } from "@factotum/models";
import type { ScheduleStatus } from "@factotum/protocol";
import type { InboxStore, LedgerStore, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ApprovalService } from "../approvals/approval-service.ts";
import type { Questions } from "../approvals/questions.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { CheckpointService } from "../checkpoints/checkpoint-service.ts";
import type { SessionFocus } from "../focus/session-focus.ts";
import type { CommandAnswer } from "../notices/notice-text.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { TargetSession } from "./command-target.ts";
import type { PromptCommands } from "./prompt-commands.ts";

/** The dependencies of commands; each declares what it uses. */
export interface CommandCall {
  /** The session that the command is about. */
  readonly session: TargetSession;
  /** All sessions. */
  readonly sessions: SessionService;
  readonly store: LedgerStore & SessionStore & TranscriptStore & TurnStore & Pick<InboxStore, "readInput">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly approvals: ApprovalService;
  readonly questions: Questions;
  readonly checkpoints: CheckpointService;
  /** What is known of jobs and heartbeats. */
  readonly schedule: () => Promise<ScheduleStatus>;
  readonly subagents: Pick<SessionSubagents, "book" | "killOf" | "listOf" | "logOf" | "ofSession" | "steerOf">;
  readonly focus: SessionFocus;
  readonly externalAgents: Pick<ExternalAgents, "ids" | "problemOf" | "list" | "close">;
  readonly cooldowns: Cooldowns;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hideSecrets: (text: string) => string;
  /** Skills and commands of the user's own. */
  readonly promptCommands: PromptCommands;
  /** Fires when the gateway stops: the command is given up then. */
  readonly signal: AbortSignal;
  /** All commands of this build, in the order of `/help`. */
  readonly commands: readonly Command[];
}

/** What comes of a command: its answer, or the message that it stands for once it has run. That message gets a turn, in place of an answer. */
export type CommandOutcome = CommandAnswer | { readonly type: "message"; readonly text: string };

/** Who may use a command. An owner's command is not listed for guests, and not answered. */
type CommandAccess = "anyone" | "owner";

/** A command as defined in its file. `Options`: the parsed text after its name. */
export interface CommandDefinition<Options> {
  /** With its slash, in lower case. */
  readonly name: string;
  /** One line for `/help` and native menus. */
  readonly summary: string;
  /** What may follow the name, for people: `[ID [DECISION]]`. Absent: nothing. */
  readonly hint?: string;
  /** Words that may follow the name first, for completion. */
  readonly words?: readonly string[];
  readonly access: CommandAccess;
  /** Parses the text after the name, including white space; `undefined` if the message is not this command. */
  readonly parse: (words: string) => Options | undefined;
  /** True if it changes the conversation: in a shared one only the owner may do that. Required for every command, so that none is open by omission. */
  readonly changes: (options: Options) => boolean;
  /**
   * It is not about the session of an agent: where several agents answer a conversation, only the first is given it. Absent: each agent is given it, for its own
   * session.
   */
  readonly isGivenOnce?: true;
  /** Runs the command; also a second time, after a restart. */
  readonly run: (options: Options, call: CommandCall) => Promise<CommandOutcome>;
}

/** One command of the table. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly hint?: string;
  readonly words?: readonly string[];
  readonly access: CommandAccess;
  readonly read: (words: string) => ParsedCommand | undefined;
}

/** A parsed command of a person. */
export interface ParsedCommand {
  readonly type: "command";
  readonly name: string;
  readonly access: CommandAccess;
  readonly options: unknown;
  readonly changesConversation: boolean;
  /** As `CommandDefinition` has it. */
  readonly isGivenOnce?: true;
  /** Its answer is text of others (R23). Absent: the gateway's own. */
  readonly isAnswerForeign?: boolean;
  readonly run: (call: CommandCall) => Promise<CommandOutcome>;
}

/** Defines a row of the table. */
export function defineCommand<Options>(definition: CommandDefinition<Options>): Command {
  const { name, summary, hint, words: first, access, parse, changes, isGivenOnce, run } = definition;
  const read = (words: string): ParsedCommand | undefined => {
    const options = parse(words);
    if (options === undefined) return undefined;
    return {
      type: "command",
      name,
      access,
      options,
      changesConversation: changes(options),
      ...withoutUndefined({ isGivenOnce }),
      run: (call) => run(options, call),
    };
  };
  return { name, summary, access, read, ...withoutUndefined({ hint, words: first }) };
}

/** The value of a command that shows or sets; undefined to show. */
export interface Wish {
  readonly wish?: string;
}

/** Parses at most one word. */
export function parseWish(words: string): Wish | undefined {
  const found = /^(?:[ \t]+(\S+))?$/.exec(words);
  return found === null ? undefined : found[1] === undefined ? {} : { wish: found[1] };
}

/** `changes` for a command that only shows something. */
export function changesNothing(): boolean {
  return false;
}

/** True for a value: without one nothing is changed. */
export function hasWish({ wish }: Wish): boolean {
  return wish !== undefined;
}

/** Accepts nothing: the name is the whole message. */
export function parseNothing(words: string): Readonly<Record<string, never>> | undefined {
  return words === "" ? {} : undefined;
}
