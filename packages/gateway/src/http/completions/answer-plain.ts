import { ModelError } from "@factotum/agent-contract";
import type { AgentMessage, ImageContent, ModelRequest } from "@factotum/agent-contract";
import { projectMessages } from "@factotum/agent-core";
import type { AgentRuntime } from "../../agents/agent-directory.ts";
import { modelChain } from "../../requests/model-chain.ts";
import type { ResolvedModel } from "../../agents/model-source.ts";
import type { Engine } from "../../engine/engine.ts";
import { LaneShutdown } from "../../kernel/lane-abort.ts";
import { ownerFailureText } from "../../notices/failure-text.ts";
import { RunDeadline } from "../../queue/run-deadline.ts";
import { closeClientCalls } from "../../messages/client-results.ts";
import { AnswerQueue } from "./answer.ts";
import type { Answer, AnswerEnd } from "./answer.ts";
import { refuseWrongResults } from "./client-tools.ts";
import type { CompletionCaller } from "./completion-caller.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { IMAGE_PARAM } from "./parse-request.ts";
import type { CompletionRequest } from "./parse-request.ts";

/**
 * Answers with the model of an agent alone: only the messages and the tools of the request, no session. Only the cost is stored. Queued with people's turns, and
 * limited to the duration of a turn. Throws a `CompletionRequestError` for images that the model does not accept.
 */
export async function answerPlain(
  { signal: gone, showsReasoning }: CompletionCaller,
  completion: CompletionRequest,
  agentId: string,
  engine: Engine,
): Promise<Answer> {
  const { parts } = engine;
  const agent = parts.running.agents.get(agentId) ?? parts.running.agents.default;
  refuseWrongResults(completion.history, completion.results);
  const queue = new AnswerQueue();
  const left = new AbortController();
  const answer: Answer = {
    id: parts.random.uuid(),
    headers: {},
    events: queue,
    cancel: async () => left.abort(new Error("the client closed the connection")),
  };
  try {
    const models = await readModels(agent);
    const request = await renderRequest(completion, { models, showsReasoning, signal: gone }, engine);
    const work = async ({ signal: lane }: { readonly signal: AbortSignal }): Promise<void> => {
      using deadline = new RunDeadline(agent.config.timeoutSeconds * 1000, {
        clock: parts.clock,
        outer: AbortSignal.any([lane, gone, left.signal]),
      });
      queue.push(await ask(models, request, { agentId: agent.config.id, showsReasoning, queue, signal: deadline.signal }, engine));
    };
    // Its failures are the answer's.
    engine.runOutsideSessions(work).catch((error: unknown) => queue.push(failedBy(error, engine)));
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    queue.push(failed(error, engine));
  }
  return answer;
}

async function readModels(agent: AgentRuntime): Promise<readonly [ResolvedModel, ...ResolvedModel[]]> {
  return [await agent.model(undefined), ...(await agent.fallbacks(undefined))];
}

async function renderRequest(
  { extra, history, results, text, images, tools }: CompletionRequest,
  options: {
    readonly models: readonly [ResolvedModel, ...ResolvedModel[]];
    readonly showsReasoning: boolean;
    readonly signal: AbortSignal;
  },
  { parts }: Engine,
): Promise<ModelRequest> {
  const [model, ...fallbacks] = options.models.map(({ client }) => client.info);
  const fitted = await parts.media.fitImages(
    images.map(({ bytes }) => bytes),
    { model, fallbacks },
    options,
  );
  const [omitted] = fitted.omitted;
  if (omitted !== undefined) throw imageError(omitted);
  const content: readonly (ImageContent | { readonly type: "text"; readonly text: string })[] = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...fitted.images,
  ];
  const timestamp = parts.clock.now();
  const messages: readonly AgentMessage[] = [
    ...history,
    ...closeClientCalls(history, results, timestamp),
    ...(content.length === 0 ? [] : [{ role: "user" as const, content, timestamp }]),
  ];
  return {
    system: { stable: extra ?? "", session: "" },
    messages: projectMessages(messages),
    tools,
    cacheRetention: "none",
    ...(options.showsReasoning ? { showThoughts: true } : {}),
  };
}

function imageError(reason: string): CompletionRequestError {
  const message = reason === "text-only" ? "the model takes no images" : `an image cannot be sent to the model (${reason})`;
  return new CompletionRequestError(`${IMAGE_PARAM}: ${message}.`, { status: 400, param: IMAGE_PARAM, code: "invalid_image" });
}

async function ask(
  models: readonly ResolvedModel[],
  request: ModelRequest,
  options: { readonly agentId: string; readonly showsReasoning: boolean; readonly queue: AnswerQueue; readonly signal: AbortSignal },
  engine: Engine,
): Promise<AnswerEnd> {
  const { agentId, showsReasoning, queue, signal } = options;
  const client = modelChain(models, { agentId, kind: "user", sessionKey: "", owner: true }, engine.parts);
  let hasThought = false;
  let shownNow = 0;
  const showThought = (text: string): void => {
    if (!showsReasoning) return;
    shownNow += text.length;
    queue.push({ type: "reasoning", text });
  };
  for await (const event of client.stream(request, { signal })) {
    switch (event.type) {
      case "text-delta":
        queue.push({ type: "text", text: event.text });
        break;
      case "message-start":
        // Of an interrupted earlier attempt.
        queue.push({ type: "withdrawal", characters: shownNow });
        shownNow = 0;
        break;
      case "thinking-start":
        if (hasThought) showThought("\n\n");
        break;
      case "thinking-delta":
        hasThought = true;
        showThought(event.text);
        break;
      case "message-failed":
        return RunDeadline.caused(signal)
          ? failedWith("timeout", "the time of a run was over", engine)
          : stoppedOr(event.error, signal, engine);
      case "message-end": {
        const { content, stopReason, usage, errorMessage } = event.message;
        const calls = stopReason === "length" ? [] : content.filter((block) => block.type === "toolCall");
        if (calls.some(({ unreadable }) => unreadable !== undefined))
          return failedWith("malformed-calls", "the model wrote a tool call that cannot be read", engine);
        if (stopReason !== "error" && stopReason !== "aborted") return { type: "done", stopReason, usage, calls };
        return failedWith("truncated", errorMessage ?? "the model's answer broke off", engine);
      }
      default:
        break;
    }
  }
  return failedWith("truncated", "the model's answer broke off", engine);
}

function stoppedOr(error: ModelError, signal: AbortSignal, engine: Engine): AnswerEnd {
  return signal.aborted ? stopped(signal.reason) : failed(error, engine);
}

function stopped(reason: unknown): AnswerEnd {
  const outcome = { type: "aborted", reason: reason instanceof Error ? reason.message : "aborted" } as const;
  return { type: "failed", outcome, message: "The run was stopped." };
}

function failed({ code, message, retry }: ModelError, engine: Engine): AnswerEnd {
  return failedWith(code, message, engine, retry.type === "after" ? { retryAfterMs: retry.delayMs } : {});
}

function failedBy(error: unknown, engine: Engine): AnswerEnd {
  if (error instanceof LaneShutdown) return stopped(error);
  engine.parts.logger.error("A plain answer failed", { error });
  return failedWith("internal", "", engine);
}

function failedWith(
  code: Extract<Extract<AnswerEnd, { type: "failed" }>["outcome"], { type: "failed" }>["code"],
  message: string,
  { parts }: Engine,
  after: { readonly retryAfterMs?: number } = {},
): AnswerEnd {
  const outcome = { type: "failed", code, message, ...after } as const;
  return { type: "failed", outcome, message: ownerFailureText(outcome, parts.hideSecrets) };
}
