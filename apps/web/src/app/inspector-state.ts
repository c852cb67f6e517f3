import type { ContextReport, ContextRequest } from "@factotum/protocol";

/** Something that is asked for, came, or could not be had. */
type Loaded<Value> =
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "ready"; readonly value: Value };

/** The kept requests of a session, newest first, as far as they are loaded. */
export interface RequestPage {
  readonly requests: readonly ContextRequest[];
  /** There are older ones; ask with it. */
  readonly before?: string | undefined;
}

/** The page that shows what the model was given. */
export interface InspectorState {
  readonly sessionKey: string;
  readonly list: Loaded<RequestPage>;
  /** The request whose report is shown; the newest one when left out. */
  readonly requestId?: string | undefined;
  readonly report: Loaded<ContextReport>;
}
