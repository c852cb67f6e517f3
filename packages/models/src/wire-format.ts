import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import type { RenderRules } from "./prompt/render-context.ts";

/** What a wire format needs to reach its server; constant for its client. */
interface WireConnection {
  readonly info: ModelInfo;
  /** With its version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** Never empty: without a credential it is a placeholder, and `fetch` removes the header that carries it. */
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  readonly generateId: () => string;
}

/** A request in the SDK's shape, before the format's own settings. */
export interface RenderedRequest {
  readonly prompt: LanguageModelV4Prompt;
  readonly tools: LanguageModelV4FunctionTool[];
  /** Tokens, thinking included. */
  readonly maxOutputTokens: number;
}

/** Tokens that a provider reports before the answer begins. */
interface EarlyUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Facts of a frame that the SDK's parts do not carry. */
export interface RawFrame {
  readonly usage?: EarlyUsage;
  readonly finishReason?: LanguageModelV4FinishReason;
}

/** How the stream parts of this format are read. */
export interface StreamRules {
  /** True for a frame that the SDK could not parse because its type is newer than the SDK. */
  readonly isUnknownEvent: (frame: unknown) => boolean;
  /** Reads what the SDK's parts do not carry. Omit it if there is nothing to read: then raw frames are not requested. */
  readonly readRawFrame?: (frame: unknown) => RawFrame | undefined;
  /** True if the server holds tool arguments back until a value is complete, so that a long one is a long silence. */
  readonly buffersToolInput: boolean;
}

/** One wire format, bound to one connection. */
export interface WireFormat {
  readonly model: LanguageModelV4;
  /** Adds the format's own settings and cache marks. Pure. */
  readonly prepare: (request: ModelRequest, rendered: RenderedRequest) => LanguageModelV4CallOptions;
}

/** The exports of a wire format's module. */
export interface WireFormatModule {
  readonly renderRules: (info: ModelInfo, baseUrl: string) => RenderRules;
  readonly streamRules: StreamRules;
  readonly connect: (connection: WireConnection) => WireFormat;
}
