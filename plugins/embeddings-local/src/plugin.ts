import type { Plugin } from "@factotum/plugin";
import { parseTexts } from "./parse-texts.ts";
import { createSentenceModel } from "./sentence-model.ts";

/** What the plugin needs to know of its process. */
export interface EmbeddingsPluginOptions {
  /** Node.js runs with its permissions, as in a process that the gateway made for a plugin. */
  readonly isIsolated: boolean;
}

/** A provider with one model that embeds texts. Its setup throws outside a process of its own: the gateway would keep the memory of the model for good. */
export function createEmbeddingsPlugin({ isIsolated }: EmbeddingsPluginOptions): Plugin {
  return {
    id: "embeddings-local",
    setup: (api) => {
      if (!isIsolated) throw new Error("it runs in a process of its own alone: remove plugins.entries.embeddings-local.trusted");
      const model = createSentenceModel();
      api.models(async function* (request, { signal }) {
        for (const text of parseTexts(request)) {
          signal.throwIfAborted();
          yield { embedding: [...(await model.embed(text))] };
        }
      });
    },
  };
}

/** What the gateway loads. */
export const plugin: Plugin = createEmbeddingsPlugin({ isIsolated: "permission" in process });
