import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { AssistantMessage, JsonObject, ModelEvent } from "@factotum/agent-contract";
import { parseArguments } from "./parse-arguments.ts";

type Content = AssistantMessage["content"][number];

interface TextBlock {
  readonly type: "text";
  readonly index: number;
  text: string;
}

interface ThinkingBlock {
  readonly type: "thinking";
  /** Set once the block has something to show or to keep. */
  index: number | undefined;
  text: string;
  signature: JsonObject | undefined;
}

interface ToolCallBlock {
  readonly type: "toolCall";
  readonly index: number;
  readonly id: string;
  readonly name: string;
  argumentsText: string;
  arguments: JsonObject | undefined;
  providerData: JsonObject | undefined;
  complete: boolean;
}

type Block = TextBlock | ThinkingBlock | ToolCallBlock;
type ToolCallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;

/** What the assembler needs of its call. */
export interface AssemblerOptions {
  /** Ids of tool calls that the conversation already has; a repeated one is replaced. */
  readonly usedIds: ReadonlySet<string>;
  readonly generateId: () => string;
}

/**
 * Builds one answer from the SDK's stream parts, with the events to show for each.
 *
 * A block begins when there is something to show of it, so the index of a block is also its position in the message's content. Blocks without text or signature
 * leave no trace.
 */
export class MessageAssembler {
  readonly #blocks: Block[] = [];
  readonly #texts = new Map<string, TextBlock | undefined>();
  readonly #thoughts = new Map<string, ThinkingBlock>();
  readonly #calls = new Map<string, ToolCallBlock>();
  readonly #usedIds: Set<string>;
  readonly #generateId: () => string;

  constructor(options: AssemblerOptions) {
    this.#usedIds = new Set(options.usedIds);
    this.#generateId = options.generateId;
  }

  /** Takes one part; pass the events on in order. Parts of other types than text, reasoning and tool calls give none. */
  accept(part: LanguageModelV4StreamPart): readonly ModelEvent[] {
    switch (part.type) {
      case "text-start":
        this.#texts.set(part.id, undefined);
        return [];
      case "text-delta":
        return this.#addText(part.id, part.delta);
      case "text-end":
        return this.#endText(part.id);
      case "reasoning-start":
        this.#startThinking(part.id, part.providerMetadata);
        return [];
      case "reasoning-delta":
        return this.#addThinking(part.id, part.delta, part.providerMetadata);
      case "reasoning-end":
        return this.#endThinking(part.id, part.providerMetadata);
      case "tool-input-start":
        return part.providerExecuted === true ? [] : this.#startCall(part.id, part.toolName);
      case "tool-input-delta":
        return this.#addArguments(part.id, part.delta);
      case "tool-call":
        return part.providerExecuted === true ? [] : this.#endCall(part);
      default:
        return [];
    }
  }

  /** True while the model thinks. */
  get isThinking(): boolean {
    return this.#thoughts.size > 0;
  }

  /** True while the arguments of a call are being streamed. */
  get isCalling(): boolean {
    return this.#blocks.some((block) => block.type === "toolCall" && !block.complete);
  }

  /** True if every call is complete and its arguments are a JSON object. */
  get callsAreValid(): boolean {
    return this.#blocks.every((block) => block.type !== "toolCall" || block.arguments !== undefined);
  }

  get hasCalls(): boolean {
    return this.#blocks.some((block) => block.type === "toolCall");
  }

  /**
   * The whole answer, or all but its tool calls: the calls of an unfinished answer are not run. `isCut`: the answer reached its output limit, so the arguments
   * of a call may be incomplete.
   */
  content(options: { readonly calls: boolean; readonly isCut?: boolean }): readonly Content[] {
    return this.#blocks.flatMap((block): Content[] => {
      if (block.type === "text") return [{ type: "text", text: block.text }];
      if (block.type === "thinking") return [withSignature(block)];
      if (!options.calls) return [];
      const { id, name, arguments: given } = block;
      const call: Content =
        given === undefined
          ? { type: "toolCall", id, name, arguments: {}, unreadable: describeFault(block, options.isCut === true) }
          : { type: "toolCall", id, name, arguments: given };
      return [block.providerData === undefined ? call : { ...call, providerData: block.providerData }];
    });
  }

  /** All generated text, for estimates. */
  get writtenText(): string {
    return this.#blocks.map((block) => (block.type === "toolCall" ? block.argumentsText : block.text)).join("");
  }

  #addText(key: string, delta: string): readonly ModelEvent[] {
    if (delta === "") return [];
    const open = this.#texts.get(key);
    if (open !== undefined) {
      open.text += delta;
      return [{ type: "text-delta", index: open.index, text: delta }];
    }
    const block: TextBlock = { type: "text", index: this.#blocks.length, text: delta };
    this.#blocks.push(block);
    this.#texts.set(key, block);
    return [
      { type: "text-start", index: block.index },
      { type: "text-delta", index: block.index, text: delta },
    ];
  }

  #endText(key: string): readonly ModelEvent[] {
    const block = this.#texts.get(key);
    this.#texts.delete(key);
    return block === undefined ? [] : [{ type: "text-end", index: block.index, text: block.text }];
  }

  #startThinking(key: string, metadata: SharedV4ProviderMetadata | undefined): ThinkingBlock {
    const block: ThinkingBlock = { type: "thinking", index: undefined, text: "", signature: mergeSignature(undefined, metadata) };
    this.#thoughts.set(key, block);
    return block;
  }

  #addThinking(key: string, delta: string, metadata: SharedV4ProviderMetadata | undefined): readonly ModelEvent[] {
    const block = this.#thoughts.get(key) ?? this.#startThinking(key, undefined);
    block.signature = mergeSignature(block.signature, metadata);
    if (delta === "") return [];
    const start = this.#showThinking(block);
    block.text += delta;
    return [...start, { type: "thinking-delta", index: block.index ?? 0, text: delta }];
  }

  #endThinking(key: string, metadata: SharedV4ProviderMetadata | undefined): readonly ModelEvent[] {
    const block = this.#thoughts.get(key);
    if (block === undefined) return [];
    this.#thoughts.delete(key);
    block.signature = mergeSignature(block.signature, metadata);
    if (block.text === "" && !isProof(block.signature)) return [];
    const start = this.#showThinking(block);
    return [...start, { type: "thinking-end", index: block.index ?? 0, text: block.text }];
  }

  #showThinking(block: ThinkingBlock): readonly ModelEvent[] {
    if (block.index !== undefined) return [];
    block.index = this.#blocks.length;
    this.#blocks.push(block);
    return [{ type: "thinking-start", index: block.index }];
  }

  #startCall(key: string, name: string): readonly ModelEvent[] {
    const id = key !== "" && !this.#usedIds.has(key) ? key : this.#generateId();
    this.#usedIds.add(id);
    const index = this.#blocks.length;
    const block: ToolCallBlock = {
      type: "toolCall",
      index,
      id,
      name,
      argumentsText: "",
      arguments: undefined,
      providerData: undefined,
      complete: false,
    };
    this.#blocks.push(block);
    this.#calls.set(key, block);
    return [{ type: "tool-call-start", index, id, name }];
  }

  #addArguments(key: string, delta: string): readonly ModelEvent[] {
    const block = this.#calls.get(key);
    if (block === undefined || delta === "") return [];
    block.argumentsText += delta;
    return [{ type: "tool-call-delta", index: block.index, id: block.id, argumentsText: delta }];
  }

  #endCall(part: ToolCallPart): readonly ModelEvent[] {
    const start = this.#calls.has(part.toolCallId) ? [] : this.#startCall(part.toolCallId, part.toolName);
    const block = this.#calls.get(part.toolCallId);
    if (block === undefined) return start;
    this.#calls.delete(part.toolCallId);
    const rest = block.argumentsText === "" && part.input !== "" ? part.input : "";
    block.argumentsText += rest;
    block.arguments = parseArguments(part.input);
    block.complete = true;
    const data = mergeSignature(undefined, part.providerMetadata);
    // Only metadata that a later request must return is kept; the rest is the provider's bookkeeping.
    if (JSON.stringify(data)?.includes('"thoughtSignature"') === true) block.providerData = data;
    const { index, id, name } = block;
    const delta: readonly ModelEvent[] = rest === "" ? [] : [{ type: "tool-call-delta", index, id, argumentsText: rest }];
    return [...start, ...delta, { type: "tool-call-end", index, id, name }];
  }
}

const LONGEST_EXCERPT = 200;

/** For the model, which sees an empty call instead of its original one. */
function describeFault({ argumentsText }: ToolCallBlock, isCut: boolean): string {
  const text = argumentsText.toWellFormed();
  const excerpt = text.length > LONGEST_EXCERPT ? `…${text.slice(-LONGEST_EXCERPT).toWellFormed()}` : text;
  const end = text === "" ? "" : ` They ended with: ${excerpt}`;
  return `${isCut ? "the answer reached its output limit inside the arguments" : "the arguments are not a valid JSON object"}.${end}`;
}

function withSignature(block: ThinkingBlock): Content {
  const thinking: Content = { type: "thinking", text: block.text };
  return isProof(block.signature) ? { ...thinking, signature: block.signature } : thinking;
}

/** Merges later metadata into earlier, provider by provider; null is ignored. */
function mergeSignature(before: JsonObject | undefined, metadata: SharedV4ProviderMetadata | undefined): JsonObject | undefined {
  if (metadata === undefined) return before;
  const merged: Record<string, JsonObject> = {};
  for (const [provider, fields] of [...Object.entries(before ?? {}), ...Object.entries(metadata)]) {
    const said = Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined);
    merged[provider] = { ...merged[provider], ...(Object.fromEntries(said) as JsonObject) };
  }
  return merged;
}

/** An item id alone proves nothing: the provider does not accept it without its content. */
function isProof(signature: JsonObject | undefined): signature is JsonObject {
  return /"(?:signature|redactedData|reasoningEncryptedContent|thoughtSignature)"/.test(JSON.stringify(signature ?? {}));
}
