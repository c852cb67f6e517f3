import type { HookSource } from "@factotum/gateway";
import { HOOKS } from "@factotum/plugin";
import type { DeclaredHook } from "@factotum/plugin-host";

/** A plugin that is switched on and cannot be used. */
export interface StoppedPlugin {
  readonly id: string;
  /** Why, for the owner. */
  readonly reason: string;
  /** Its hooks that decide. */
  readonly hooks: readonly DeclaredHook[];
}

/** The hooks of a plugin that fail closed. */
export function decidingHooks(hooks: readonly DeclaredHook[]): readonly DeclaredHook[] {
  return hooks.filter(({ name }) => HOOKS[name].kind === "decide");
}

/** Handlers in place of those of stopped plugins: each fails, so that what a plugin would have decided on is denied. */
export function stoppedHooks(stopped: readonly StoppedPlugin[]): readonly HookSource[] {
  return stopped.map(({ id, reason, hooks }) => ({
    owner: `plugin ${id}`,
    trusted: false,
    hooks: hooks.map(({ name, priority = HOOKS[name].priority }) => ({ name, priority })),
    call: async () => Promise.reject(new Error(`the plugin ${id} is not used: ${reason}`)),
  }));
}
