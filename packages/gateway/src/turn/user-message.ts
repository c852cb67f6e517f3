import { renderEffectivePrompt } from "@factotum/agent-core";
import type { AgentMessage, RunFacts, UserMessage } from "@factotum/agent-contract";
import { displayId } from "../access/display-id.ts";
import { NO_NOTES, readDailyNotes } from "./daily-notes.ts";
import { readLastRun, sessionHint } from "./last-run.ts";
import { isTainted, messageFacts } from "./message-facts.ts";
import type { MessageFactsContext } from "./message-facts.ts";
import { parseBasis } from "./prompt-cause.ts";
import type { ResolvedPrompt } from "./resolve-prompt.ts";
import type { SessionContext } from "./session-context.ts";
import { sourceEvents } from "./source-events.ts";
import type { TurnJob } from "./turn-job.ts";
import type { TurnServices } from "./turn-services.ts";

/** What of the turn goes into its message. */
export interface UserMessageRequest {
  readonly sessionKey: string;
  readonly job: Extract<TurnJob, { type: "input" }>;
  readonly facts: RunFacts;
  readonly history: readonly AgentMessage[];
  readonly nowMs: number;
  readonly showsGroup: boolean;
  /** The session is private, this message included. */
  readonly isPrivate: boolean;
  readonly signal: AbortSignal;
}

/** Parts 3 and 4 of the request: the turn's text with everything around it, and its images. Rendered once; history replays it as it is. */
export async function renderUserMessage(
  request: UserMessageRequest,
  prompt: ResolvedPrompt,
  context: SessionContext,
  services: TurnServices,
): Promise<UserMessage> {
  const { job, nowMs, signal } = request;
  const { message, admission } = job.input;
  const media = await services.media.prepare(
    {
      message,
      run: request.facts,
      channel: message.origin.channel === "http" ? services.media.uploads : services.channels.channelFor(message.origin),
      model: context.model.client.info,
      fallbacks: context.fallbacks.map(({ client }) => client.info),
    },
    { signal },
  );
  const lastRun = await readLastRun(context.sessionId, services.store);
  const hint = admission.kind === "user" ? sessionHint(lastRun) : undefined;
  const isFirst = lastRun === undefined && (admission.history ?? []).length === 0;
  const daily =
    request.isPrivate && isFirst && admission.kind === "user"
      ? await readDailyNotes(services.files, { run: request.facts, agent: context.agent, nowMs })
      : NO_NOTES;
  const effective = renderEffectivePrompt(
    messageFacts(message, {
      admission,
      delimiter: Buffer.from(services.random.bytes(6)).toString("hex"),
      nowMs,
      timeZone: context.agent.config.userTimezone,
      senderDisplayId: displayId(`${message.origin.channel}:${message.sender.id}`, services.ownerDisplaySecret),
      hasMessageTool: prompt.record.tools.some((tool) => tool.name === "message"),
      isPlatform: context.channel?.capabilities.addressing === "platform",
      overheard: job.overheard,
      showsGroup: request.showsGroup,
      isReset: job.isReset ?? false,
      systemEvents: prompt.isNew ? [] : await sourceEvents(request, prompt, context, services),
      truncations: prompt.truncations,
      media: media.media,
      ...(hint === undefined ? {} : { sessionHint: hint }),
      dailyNotes: daily.notes,
      ...responseFormat(prompt, context),
    }),
    context.agent.time,
  );
  const tainted =
    media.tainted ||
    daily.untrusted ||
    isTainted(message, { admission, overheard: job.overheard, ownerAllowFrom: services.config.commands.ownerAllowFrom });
  return {
    role: "user",
    content: [{ type: "text", text: effective.text }, ...media.images],
    parts: { ...effective.parts, source: { channel: message.origin.channel, eventId: message.eventId } },
    ...(tainted ? { tainted } : {}),
    timestamp: nowMs,
  };
}

/** How the turn's channel shows text, for a session that several reach: its prompt tells of one (design 03 §3). */
function responseFormat(prompt: ResolvedPrompt, { channel }: SessionContext): Pick<MessageFactsContext, "format"> {
  const promptChannel = parseBasis(prompt.record.basis)?.channel;
  // A prompt of an older build does not say what it was rendered for.
  if (channel === undefined || promptChannel === undefined) return {};
  const { dialect, markdown, maxLength } = channel.capabilities.text;
  return {
    format: { responseFormat: { dialect, markdown, maxMessageChars: maxLength }, ...(promptChannel === "" ? {} : { promptChannel }) },
  };
}
