import { withoutUndefined } from "@factotum/agent-contract";
import * as clack from "@clack/prompts";
import type { Prompts } from "../runtime/prompts.ts";

/** Longer lists are searched by typing. */
const SEARCHED_FROM = 12;

/** Questions on the terminal of this process. */
export function createClackPrompts({ signal }: { readonly signal: AbortSignal }): Prompts {
  const answered = <Value>(value: Value | symbol): Value | undefined => (typeof value === "symbol" ? undefined : value);
  return {
    say: (level, text) => {
      const write = { info: clack.log.info, success: clack.log.success, warning: clack.log.warn }[level];
      write(text);
    },
    select: async (message, choices, initial) => {
      const options = choices.map(({ value, label, hint }) => ({ value, label, ...withoutUndefined({ hint }) }));
      const start = withoutUndefined({ initialValue: initial });
      const ask = options.length < SEARCHED_FROM ? clack.select<string> : clack.autocomplete<string>;
      return answered<string>(await ask({ message, options, maxItems: SEARCHED_FROM, signal, ...start }));
    },
    password: async (message) => answered<string>(await clack.password({ message, signal })),
    text: async (message, initial) => answered<string>(await clack.text({ message, initialValue: initial, signal })),
    confirm: async (message, initial) => answered<boolean>(await clack.confirm({ message, initialValue: initial, signal })),
  };
}
