import type { ContextReport, ContextRequest } from "@factotum/protocol";

/** A value that is loading, loaded, or failed to load. */
type Loaded<Value> =
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "ready"; readonly value: Value };

/** The stored requests of a session, newest first, as far as they are loaded. */
export interface RequestPage {
  readonly requests: readonly ContextRequest[];
  /** Cursor of older ones. */
  readonly before?: string | undefined;
}

/** The state of the context view. */
export interface InspectorState {
  readonly sessionKey: string;
  readonly list: Loaded<RequestPage>;
  /** The request whose report is shown; the newest one if omitted. */
  readonly requestId?: string | undefined;
  readonly report: Loaded<ContextReport>;
}
