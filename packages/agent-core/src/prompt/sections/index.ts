import type { PromptSection } from "../prompt-facts.ts";
import { authorizedSenders } from "./authorized-senders.ts";
import { channelFormat } from "./channel-format.ts";
import { control } from "./control.ts";
import { documentation } from "./documentation.ts";
import { executionBias } from "./execution-bias.ts";
import { extra } from "./extra.ts";
import { groupChat } from "./group-chat.ts";
import { heartbeats } from "./heartbeats.ts";
import { identity } from "./identity.ts";
import { inboundContext } from "./inbound-context.ts";
import { instructions } from "./instructions.ts";
import { memoryRecall } from "./memory-recall.ts";
import { messaging } from "./messaging.ts";
import { modelAliases } from "./model-aliases.ts";
import { outputDirectives } from "./output-directives.ts";
import { privateMemory } from "./private-memory.ts";
import { projectContext } from "./project-context.ts";
import { reactions } from "./reactions.ts";
import { reasoning } from "./reasoning.ts";
import { runtime } from "./runtime.ts";
import { safety } from "./safety.ts";
import { sandbox } from "./sandbox.ts";
import { selfUpdate } from "./self-update.ts";
import { silentReplies } from "./silent-replies.ts";
import { skills } from "./skills.ts";
import { timeZone } from "./time-zone.ts";
import { toolCallStyle } from "./tool-call-style.ts";
import { tooling } from "./tooling.ts";
import { voice } from "./voice.ts";
import { workspace } from "./workspace.ts";

/** All sections, in order; the stable half precedes the session half. */
export const PROMPT_SECTIONS: readonly PromptSection[] = [
  identity,
  instructions,
  tooling,
  toolCallStyle,
  executionBias,
  safety,
  inboundContext,
  control,
  skills,
  memoryRecall,
  selfUpdate,
  modelAliases,
  workspace,
  documentation,
  authorizedSenders,
  outputDirectives,
  silentReplies,
  projectContext,
  sandbox,
  privateMemory,
  messaging,
  channelFormat,
  reactions,
  voice,
  groupChat,
  heartbeats,
  timeZone,
  extra,
  reasoning,
  runtime,
];
