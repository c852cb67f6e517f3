import { httpFetch } from "@factotum/models";
import type { PluginHost } from "@factotum/plugin-host";
import { pluginAt } from "../extensions/plugin-providers.ts";

/** `httpFetch`, with the plugins as further servers: each answers at the address of its provider. */
export function createPluginFetch({ fetchModels, fetchEmbeddings }: Pick<PluginHost, "fetchModels" | "fetchEmbeddings">): typeof httpFetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const id = pluginAt(url);
    if (id === undefined) return httpFetch(input, init);
    const answer = url.endsWith("/chat/completions")
      ? fetchModels(id, init)
      : url.endsWith("/embeddings")
        ? await fetchEmbeddings(id, init)
        : undefined;
    return answer ?? Response.json({ error: { message: `the plugin ${id} has nothing at this address` } }, { status: 404 });
  };
}
