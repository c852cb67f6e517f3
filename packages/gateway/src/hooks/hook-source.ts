import type { HookName, HookPayloads } from "@factotum/plugin";

/** Handlers of hooks: of a plugin, or of a command of the owner. */
export interface HookSource {
  /** For the owner: `plugin audit-log`. */
  readonly owner: string;
  /** What it gives counts as the owner's; of others as text of others (R23). */
  readonly trusted: boolean;
  readonly hooks: readonly { readonly name: HookName; readonly priority: number }[];
  /** Calls a handler. Rejects with an error whose message says why there is no answer; settles within the limit of the hook and the time of a start. */
  call<Name extends HookName>(name: Name, payload: HookPayloads[Name], options: { readonly signal: AbortSignal }): Promise<unknown>;
}
