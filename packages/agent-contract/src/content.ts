import type { JsonObject } from "./json.ts";

/** Text for a person or a model. Markdown where a person reads it. */
export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** An image, inline. */
export interface ImageContent {
  readonly type: "image";
  /** Base64 without a data-URL prefix. */
  readonly data: string;
  /** Detected from the bytes, never taken from a file name. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}

/** A model's thinking before its answer. Never visible on a channel unless reasoning was requested. */
export interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /**
   * The provider's proof of origin for the block, opaque and in the provider's own shape. Sent back only to the provider and model that produced it; dropped
   * for any other.
   */
  readonly signature?: JsonObject;
}

/** A model's request to run one tool. Never stored while it is incomplete. */
export interface ToolCallContent {
  readonly type: "toolCall";
  /** Unique within its session; the provider's own id, or one that `models` generates if the provider has none. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * Why the arguments could not be parsed: they are not a JSON object, or the answer reached its output limit inside them. `arguments` is empty then, and the
   * call is answered with an error instead of being run.
   */
  readonly unreadable?: string;
  /** True if the model made the call through `tool_call`, since the tool is not in its request. Replayed to models in that form. */
  readonly deferred?: true;
  /** True if the tool is a client's: the call is not run here, and its result comes with the client's next request. */
  readonly client?: true;
  /** True if an external agent made and ran the call itself: nothing was decided or run here. For people; never sent to a model of a provider. */
  readonly external?: true;
  /** Opaque data that the provider requires back with this call (a thought signature, for example). */
  readonly providerData?: JsonObject;
}
