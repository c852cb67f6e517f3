import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { raceAbort } from "@factotum/channel-kit";
import type { Adapter, ChatInstance } from "chat";
import type { ChatSdkConfig } from "../config.ts";
import { toChannelError, toFailure } from "../errors.ts";
import { knownAdapter } from "../known-adapters.ts";
import { createAdapterLogger } from "./adapter-logger.ts";
import { refusal } from "./find-adapter.ts";
import { loadAdapter } from "./load-adapter.ts";

/** The one adapter of an account. */
export interface AdapterSession {
  /** The adapter, loaded and initialised at the first call; after a failure the next call tries again. Rejects with a ChannelError. */
  ready(options: CallOptions): Promise<Adapter>;
  /** Asks the platform whether it takes the credential, where that is known how. Rejects with a ChannelError. */
  verify(options: CallOptions): Promise<Adapter>;
  /** The adapter if it has been loaded. */
  readonly loaded: Adapter | undefined;
  /** Lets the adapter close its connections. Never rejects. */
  close(options: CallOptions): Promise<void>;
}

/** Creates a session without an adapter. `from` is the folder below which the owner's packages are looked for. */
export function createAdapterSession(
  config: ChatSdkConfig,
  { host, chat, from }: { readonly host: Pick<ChannelHost, "logger">; readonly chat: ChatInstance; readonly from: string },
): AdapterSession {
  const known = knownAdapter(config.adapter);
  let loaded: Adapter | undefined;
  let opening: Promise<Adapter> | undefined;

  const open = async (): Promise<Adapter> => {
    const problem = known?.problem(config.options);
    if (problem !== undefined) throw refusal(`the adapter ${config.adapter}: ${problem}`);
    loaded ??= await loadAdapter(config, createAdapterLogger(host.logger), from);
    await loaded.initialize(chat);
    return loaded;
  };
  const withErrors = async <T>(work: Promise<T>, options: CallOptions): Promise<T> => {
    try {
      return await raceAbort(work, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      throw ChannelError.isInstance(error) ? error : toChannelError(toFailure(error, known));
    }
  };
  const ready = async (options: CallOptions): Promise<Adapter> => {
    options.signal.throwIfAborted();
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return withErrors(opening, options);
  };

  return {
    ready,
    async verify(options) {
      const adapter = await ready(options);
      await withErrors(Promise.resolve(known?.verify(adapter)), options);
      return adapter;
    },
    get loaded() {
      return loaded;
    },
    async close(options) {
      try {
        await raceAbort(Promise.resolve(loaded?.disconnect?.()), options);
      } catch (error) {
        host.logger.debug("the adapter did not close", { error: error instanceof Error ? error.name : "unknown" });
      }
    },
  };
}
