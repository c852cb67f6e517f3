import type { PromptRecord } from "@factotum/store";
import { displayId } from "../access/display-id.ts";
import { findPromptCause, renderBasis } from "./prompt-cause.ts";
import type { PromptBasis, PromptCause } from "./prompt-cause.ts";
import type { SessionContext } from "./session-context.ts";
import { renderSessionPrompt } from "./session-prompt.ts";
import type { TurnServices } from "./turn-services.ts";

/** What of one message decides about the session's prompt. */
export interface PromptRequest {
  readonly sessionKey: string;
  readonly extra: string | undefined;
  /** The session is private, this message included. */
  readonly isPrivate: boolean;
  readonly signal: AbortSignal;
}

/** The session's prompt as it is stored, or a new one when a named cause holds (design 03, stability). */
export async function resolvePrompt(
  request: PromptRequest,
  context: SessionContext,
  services: TurnServices,
): Promise<{ readonly record: Omit<PromptRecord, "sessionId">; readonly isNew: boolean }> {
  const stored = context.record === undefined ? undefined : await services.store.readPrompt(context.sessionId);
  const basis: PromptBasis = {
    config: context.agent.basis,
    model: context.model.reference,
    thinking: context.thinking,
    extra: request.extra === undefined ? "" : displayId(request.extra, undefined),
    isPrivate: request.isPrivate,
  };
  const nowMs = services.clock.now();
  const cause = findPromptCause({
    stored,
    basis,
    activeAtMs: context.record?.updatedAtMs ?? nowMs,
    nowMs,
    retention: context.agent.cacheRetention(context.model.reference),
    compacted: false,
  });
  if (cause === undefined && stored !== undefined) return { record: stored, isNew: false };
  const record = await renderPrompt({ ...request, cause: cause ?? "new-session", basis, nowMs }, context, services);
  // The cache being cold is a chance to take changes up, and no change by itself.
  if (stored?.hash === record.hash) return { record: stored, isNew: false };
  services.logger.info("Prompt rendered", { sessionKey: request.sessionKey, cause: record.cause, hash: record.hash });
  return { record, isNew: true };
}

async function renderPrompt(
  request: PromptRequest & { readonly cause: PromptCause; readonly basis: PromptBasis; readonly nowMs: number },
  context: SessionContext,
  services: TurnServices,
): Promise<Omit<PromptRecord, "sessionId">> {
  const { agent, model, group, isGroup, channel } = context;
  const workspace = services.agents.workspaceFor(agent, { owner: true, sessionKey: request.sessionKey }, isGroup);
  const [skills, defaultModel] = await Promise.all([
    agent.skills({ workspace, group, signal: request.signal }),
    services.models.defaultModel(),
  ]);
  const rendered = renderSessionPrompt(
    {
      agent,
      sessionId: context.sessionId,
      tools: agent.tools({ provider: model.client.info.provider, group }),
      skills,
      workspace,
      modelReference: model.reference,
      defaultModelReference: agent.config.model?.primary ?? defaultModel.reference,
      thinking: context.thinking,
      authorizedSenders: services.config.commands.ownerAllowFrom.map((id) => displayId(id, services.ownerDisplaySecret)),
      commands: services.commands,
      documentation: services.documentation,
      ...(request.extra === undefined ? {} : { extra: request.extra }),
      ...(channel === undefined ? {} : { channel }),
      ...(isGroup && channel !== undefined ? { group: { platform: channel.id, config: group } } : {}),
    },
    request.cause,
    request.nowMs,
  );
  return { ...rendered, basis: renderBasis(request.basis) };
}
