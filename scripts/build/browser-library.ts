import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { ROOT } from "../workspace.ts";

const FOLDER = join(ROOT, "packages/tools/node_modules", "playwright-core");
/** Its notices are part of it. */
const TEXTS = ["index.mjs", "index.js", "browsers.json", "LICENSE", "NOTICE", "ThirdPartyNotices.txt"];
/** Its tools for developers stay away. */
const PARTS = [
  "bootstrap.js",
  "coreBundle.js",
  "package.js",
  "serverRegistry.js",
  "serverRegistry.js.LICENSE",
  "utilsBundle.js",
  "utilsBundle.js.LICENSE",
  "webp_codec.LICENSE",
  "webp_codec.wasm",
].map((name) => `lib/${name}`);

/** Adds the library that controls browsers as files of its own, in `playwright-core`: it finds its parts by their paths, so it cannot be bundled. */
export function browserLibrary(): Rolldown.Plugin {
  return {
    name: "factotum:browser-library",
    async generateBundle() {
      const emit = (name: string, source: string | Uint8Array): void =>
        void this.emitFile({ type: "asset", fileName: `playwright-core/${name}`, source });
      for (const name of [...TEXTS, ...PARTS]) emit(name, await readFile(join(FOLDER, name)));
      // Entry points of a package inside of another one have no effect, and only cause warnings when it is packed.
      const {
        exports: _exports,
        bin: _bin,
        ...manifest
      } = JSON.parse(await readFile(join(FOLDER, "package.json"), "utf8")) as Record<string, unknown>;
      emit("package.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
    },
  };
}
