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
  /** Found by looking at the bytes, never taken from a file name. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}

/** What a model thought before it answered. Never visible on a channel unless reasoning was asked for. */
export interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /**
   * The provider's proof that the block is its own, opaque and in the provider's own shape. Sent back only to the provider and model
   * that made it; dropped for every other.
   */
  readonly signature?: JsonObject;
}

/** A request of the model to run one tool. Never stored while it is being written. */
export interface ToolCallContent {
  readonly type: "toolCall";
  /** Unique in its session; the provider's own id, or one made by `models` where the provider has none. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * Why the arguments could not be read: they are no JSON object, or the answer reached its output limit inside them. Then `arguments` is empty, and the
   * call is answered with an error instead of being run.
   */
  readonly unreadable?: string;
  /** Opaque data that the provider wants back with this call (a thought signature, for example). */
  readonly providerData?: JsonObject;
}
