import type { PromptSection } from "../prompt-facts.ts";
import { authorizedSenders } from "./authorized-senders.ts";
import { control } from "./control.ts";
import { documentation } from "./documentation.ts";
import { executionBias } from "./execution-bias.ts";
import { extra } from "./extra.ts";
import { groupChat } from "./group-chat.ts";
import { identity } from "./identity.ts";
import { inboundContext } from "./inbound-context.ts";
import { instructions } from "./instructions.ts";
import { messaging } from "./messaging.ts";
import { outputDirectives } from "./output-directives.ts";
import { runtime } from "./runtime.ts";
import { safety } from "./safety.ts";
import { silentReplies } from "./silent-replies.ts";
import { skills } from "./skills.ts";
import { timeZone } from "./time-zone.ts";
import { toolCallStyle } from "./tool-call-style.ts";
import { tooling } from "./tooling.ts";
import { workspace } from "./workspace.ts";

/** Every section. This array is the order, and there is no other; the stable half stands before the session half. */
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
  workspace,
  documentation,
  authorizedSenders,
  outputDirectives,
  silentReplies,
  messaging,
  groupChat,
  timeZone,
  extra,
  runtime,
];
