import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { ROOT } from "../workspace.ts";

/**
 * Writes `chunks.json`: which chunks import which, the entries, and the chunk of each extension that the product bundles. `factotum build` leaves out what only
 * extensions reach that were not chosen.
 */
export function chunkGraph(): Rolldown.Plugin {
  return {
    name: "factotum:chunk-graph",
    generateBundle(_output, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const extensions: Record<string, string> = {};
      for (const { fileName, moduleIds } of chunks) {
        for (const moduleId of moduleIds) {
          const id = extensionOf(moduleId);
          if (id !== undefined) extensions[id] = fileName;
        }
      }
      const source = JSON.stringify({
        entries: chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
        extensions,
        chunks: Object.fromEntries(chunks.map(({ fileName, imports, dynamicImports }) => [fileName, { imports, dynamicImports }])),
      });
      this.emitFile({ type: "asset", fileName: "chunks.json", source });
    },
  };
}

/** The folder of an extension, for its entry module. */
function extensionOf(moduleId: string): string | undefined {
  const folder = join(ROOT, "extensions");
  if (!moduleId.startsWith(`${folder}/`)) return undefined;
  const [name = "", ...rest] = moduleId.slice(folder.length + 1).split("/");
  return rest.join("/") === "src/index.ts" ? name : undefined;
}
