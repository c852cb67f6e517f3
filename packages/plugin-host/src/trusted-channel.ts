import { pathToFileURL } from "node:url";
import type { Clock } from "@factotum/agent-contract";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import { parseFromPlugin, type FromPlugin, type ToPlugin } from "./child/messages.ts";
import { PluginRuntime } from "./child/plugin-runtime.ts";
import type { PluginChannel } from "./plugin-channel.ts";

/** Runs a plugin in this process. Its code cannot be interrupted: when it is ended, what it does later is no longer heard. */
export function startTrusted({ clock }: { readonly clock: Clock }): PluginChannel {
  return new TrustedChannel(clock);
}

class TrustedChannel implements PluginChannel {
  onMessage: (message: FromPlugin) => void = () => undefined;
  readonly #runtime: PluginRuntime;
  readonly #ended = Promise.withResolvers<string>();
  #isOver = false;

  constructor(clock: Clock) {
    this.#runtime = new PluginRuntime({
      // Later, as over a pipe, so that the first message finds its listener; and as plain data.
      send: (message) => {
        const copy = structuredClone(message);
        setImmediate(() => {
          // Trusted code goes through no pipe, and its data through the same checks.
          const checked = parseFromPlugin(copy);
          if (this.#isOver) return;
          if (checked === undefined) this.end("it gave what is no message");
          else this.onMessage(checked);
        });
      },
      load: async (entry) => (await import(pathToFileURL(entry).href)) as object,
      now: () => clock.now(),
      maxAnswerChars: PLUGIN_LIMITS.answerChars,
      maxLogLines: PLUGIN_LIMITS.logLines,
    });
  }

  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  send(message: ToPlugin): "sent" {
    if (this.#isOver) return "sent";
    const copy = structuredClone(message);
    queueMicrotask(() => this.#runtime.take(copy));
    return "sent";
  }

  end(why: string): void {
    this.#isOver = true;
    this.#ended.resolve(why);
  }
}
