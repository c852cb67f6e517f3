import fc from "fast-check";
import type { AgentMessage, AssistantMessage, ImageContent, ModelRequest, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { LS_TOOL } from "./client.ts";

/** The smallest image that every vendor accepts: one white pixel. */
export const PIXEL: ImageContent = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4//8/AwAI/AL+p5qgoAAAAABJRU5ErkJggg==",
};

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };

export function user(...content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: 1 };
}

export function assistant(content: AssistantMessage["content"], overrides: Partial<AssistantMessage> = {}): AssistantMessage {
  const stopReason = content.some((part) => part.type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", content, api: "demo", provider: "demo", model: "demo", usage: USAGE, stopReason, timestamp: 2, ...overrides };
}

export function result(toolCallId: string, content: ToolResultMessage["content"], isError = false): ToolResultMessage {
  return { role: "toolResult", toolCallId, toolName: "ls", content, isError, timestamp: 3 };
}

export function text(value: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: value };
}

const words = fc.oneof(
  fc.string({ maxLength: 30, unit: "grapheme" }),
  fc.string({ maxLength: 12, unit: "binary" }),
  fc.constantFrom("", " ", "\n\t", "列出文件", "\ud83d", "\udc00 tail", 'quote " and \\ slash', "</tool>"),
);
const part = fc.oneof({ weight: 4, arbitrary: words.map(text) }, { weight: 1, arbitrary: fc.constant(PIXEL) });
const userMessage = fc.array(part, { maxLength: 3 }).map((content) => user(...content));
const foreignId = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[a-zA-Z0-9]{9}$/),
  fc.string({ minLength: 1, maxLength: 50 }),
  fc.constant("functions.ls:0"),
);
const call = fc.record({ path: words, nested: fc.option(fc.record({ deep: fc.array(words, { maxLength: 2 }) }), { nil: undefined }) });

interface Step {
  readonly thinking: string | undefined;
  readonly says: string;
  readonly calls: readonly {
    readonly id: string;
    readonly arguments: Record<string, unknown>;
    readonly result: ToolResultMessage["content"];
    readonly isError: boolean;
  }[];
  readonly broken: boolean;
  readonly after: readonly UserMessage[];
}

const step: fc.Arbitrary<Step> = fc.record({
  thinking: fc.option(words, { nil: undefined }),
  says: words,
  calls: fc.array(fc.record({ id: foreignId, arguments: call, result: fc.array(part, { maxLength: 3 }), isError: fc.boolean() }), {
    maxLength: 3,
  }),
  broken: fc.boolean(),
  after: fc.array(userMessage, { maxLength: 2 }),
});

/**
 * Conversations as the core sends them: repaired, but with everything that a transcript may contain. `cuts` are the lengths at which a request could have been
 * sent.
 */
export const conversations: fc.Arbitrary<{ readonly messages: readonly AgentMessage[]; readonly cuts: readonly number[] }> = fc
  .tuple(userMessage, fc.array(step, { minLength: 1, maxLength: 6 }))
  .map(([first, steps]) => {
    const messages: AgentMessage[] = [first];
    const cuts: number[] = [1];
    for (const [index, one] of steps.entries()) {
      const calls = one.broken ? [] : one.calls.map((value, position) => ({ ...value, id: `${value.id}/${index}.${position}` }));
      messages.push(
        assistant(
          [
            ...(one.thinking === undefined ? [] : [{ type: "thinking" as const, text: one.thinking }]),
            text(one.says),
            ...calls.map((value) => ({
              type: "toolCall" as const,
              id: value.id,
              name: "ls",
              arguments: JSON.parse(JSON.stringify(value.arguments)) as object as Record<string, never>,
            })),
          ],
          one.broken ? { stopReason: "aborted" } : {},
        ),
        ...calls.map((value) => result(value.id, value.result, value.isError)),
      );
      if (calls.length > 0) cuts.push(messages.length);
      messages.push(...one.after);
      if (calls.length === 0 && one.after.length === 0) messages.push(user(text("go on")));
      cuts.push(messages.length);
    }
    return { messages, cuts: [...new Set(cuts)] };
  });

export function conversationRequest(messages: readonly AgentMessage[], overrides: Partial<ModelRequest> = {}): ModelRequest {
  return { system: { stable: "Stable half.", session: "Session half." }, messages, tools: [LS_TOOL], ...overrides };
}
