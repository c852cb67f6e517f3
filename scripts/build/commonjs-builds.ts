import type { Rolldown } from "tsdown";

/**
 * Gives `require` of these packages, which have two builds, the CommonJS one (`.js` beside `.mjs`). The conditions of the bundle choose the other one for every
 * import, and what a package of today exports by default is not what an older one calls or extends.
 */
export function commonJsBuilds(names: readonly string[]): Rolldown.Plugin {
  return {
    name: "commonjs-builds",
    async resolveId(source, importer, { kind }) {
      if (kind !== "require-call" || !names.includes(source)) return undefined;
      const found = await this.resolve(source, importer, { kind, skipSelf: true });
      return found === null ? undefined : { ...found, id: found.id.replace(/\.mjs$/, ".js") };
    },
  };
}
