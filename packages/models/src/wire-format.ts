import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import type { RenderRules } from "./prompt/render-context.ts";

/** What a wire format needs to reach its server, for as long as its client lives. */
interface WireConnection {
  readonly info: ModelInfo;
  /** With its version segment, without a slash at the end. */
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

/** What a frame said before the SDK made parts of it. */
export interface RawFrame {
  readonly usage?: EarlyUsage;
  readonly finishReason?: LanguageModelV4FinishReason;
}

/** How the parts of this format's stream are to be read. */
export interface StreamRules {
  /** True for a frame that the SDK could not read because it is of a kind that did not exist when the SDK was written. */
  readonly isUnknownEvent: (frame: unknown) => boolean;
  /** Reads what the SDK's parts do not carry. Left out where there is nothing to read: then raw frames are not asked for. */
  readonly readRawFrame?: (frame: unknown) => RawFrame | undefined;
  /** True where the server holds tool arguments back until a value is complete, so that a long one is a long silence. */
  readonly buffersToolInput: boolean;
}

/** One wire format, bound to one connection. */
export interface WireFormat {
  readonly model: LanguageModelV4;
  /** Adds the format's own settings and cache marks. Pure. */
  readonly prepare: (request: ModelRequest, rendered: RenderedRequest) => LanguageModelV4CallOptions;
}

/** What the module of a wire format exports. */
export interface WireFormatModule {
  readonly renderRules: (info: ModelInfo, baseUrl: string) => RenderRules;
  readonly streamRules: StreamRules;
  readonly connect: (connection: WireConnection) => WireFormat;
}
