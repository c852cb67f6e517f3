import type { JsonObject } from "../json.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import { freshId, piecesOf, sseFrame } from "../strict/render-parts.ts";
import type { ErrorKind, ReplyBlock, ReplyStop, ReplyUsage } from "../strict/scripted-reply.ts";
import type { RenderedReply } from "../strict/wire.ts";
import { googleErrorBody } from "./errors.ts";
import { signThought } from "./signature.ts";

const FINISH: Readonly<Record<ReplyStop, string>> = { stop: "STOP", "tool-calls": "STOP", length: "MAX_TOKENS", refusal: "SAFETY" };

function renderUsage({ input, cacheRead, output, reasoning }: ReplyUsage): JsonObject {
  const prompt = input + cacheRead;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: prompt + output,
    ...(cacheRead === 0 ? {} : { cachedContentTokenCount: cacheRead }),
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
  };
}

/** Whether thoughts are shown, as requested. */
function showsThoughts({ body }: RenderedReply): boolean {
  const config = (body["generationConfig"] as JsonObject | undefined)?.["thinkingConfig"] as JsonObject | undefined;
  return config?.["includeThoughts"] === true;
}

/** The parts of one block, in chunks of the requested size; calls come whole. Only the first call of a turn has a signature. */
function partsOf(block: ReplyBlock, size: number, sign: boolean): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return piecesOf(block.text, size).map((text) => ({ text }));
    case "thinking":
      return piecesOf(block.text, size).map((text) => ({ text, thought: true }));
    case "toolCall": {
      const call = { name: block.name, args: block.arguments, ...(block.id !== undefined && { id: block.id }) };
      return [{ functionCall: call, ...(sign ? { thoughtSignature: signThought() } : {}) }];
    }
  }
}

function allParts(reply: RenderedReply, size: number): readonly JsonObject[] {
  const firstCall = reply.content.findIndex(({ type }) => type === "toolCall");
  return reply.content.flatMap((block, index) =>
    block.type === "thinking" && !showsThoughts(reply) ? [] : partsOf(block, size, index === firstCall),
  );
}

function envelope(parts: readonly JsonObject[], fields: JsonObject, tail: JsonObject): JsonObject {
  return { candidates: [{ content: { parts, role: "model" }, ...fields, index: 0 }], ...tail };
}

/** A complete answer. */
export function renderGoogle(reply: RenderedReply): JsonObject {
  const tail = { usageMetadata: renderUsage(reply.usage), modelVersion: reply.model, responseId: freshId("", 11) };
  return envelope(allParts(reply, Number.MAX_SAFE_INTEGER), { finishReason: FINISH[reply.stop] }, tail);
}

/** The chunks of a streamed answer; each is one frame, the last one has the stop reason. */
export function renderGoogleStream(reply: RenderedReply): readonly string[] {
  const tail = { modelVersion: reply.model, responseId: freshId("", 11) };
  const promptOnly = renderUsage({ ...reply.usage, output: 0, reasoning: 0 });
  const frames = allParts(reply, reply.deltaCharacters).map((part) =>
    sseFrame(envelope([part], {}, { usageMetadata: promptOnly, ...tail })),
  );
  const last = envelope([{ text: "" }], { finishReason: FINISH[reply.stop] }, { usageMetadata: renderUsage(reply.usage), ...tail });
  return [...frames, sseFrame(last)];
}

/** Frames inserted by faults. */
export const GOOGLE_FAULT_FRAMES: FaultFrames<ErrorKind> = {
  garbage: 'data: {"candidates": [{"content": {"parts": [{"te\n\n',
  unknownEvent: sseFrame({ weatherMetadata: { wind: "north" }, responseId: "sky" }),
  error: (kind, message) => sseFrame(googleErrorBody(kind, { message })),
};
