import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type UserConfig } from "vite";
import { workerLicences } from "../../scripts/build/third-party-notices.ts";
import { compileCatalogues } from "./catalogues.config.ts";
import { drawIcons } from "./icons.config.ts";
import { offlineShell } from "./offline-shell.config.ts";
import { trimZod } from "./zod.config.ts";
import { precompress } from "./precompress.config.ts";

const config: UserConfig = defineConfig({
  // Relative addresses, so that the page works below a path of a reverse proxy.
  base: "./",
  plugins: [
    react(),
    compileCatalogues(),
    preloadStart(),
    drawIcons(),
    trimZod(),
    offlineShell(),
    // The gateway serves the precompressed files as they are, without compressing at request time.
    { name: "precompress", apply: "build", closeBundle: () => precompress(fileURLToPath(new URL("./dist", import.meta.url))) },
  ],
  resolve: { conditions: ["factotum-source", "module", "browser", "development|production"] },
  // Grammars are loaded on demand.
  worker: { format: "es", plugins: () => [workerLicences(".vite/worker-license.json")] },
  build: {
    target: "es2023",
    // No inlining and no polyfill: the page's content security policy allows neither.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Grammars are large; e2e/bundle.test.ts limits what the chat itself loads.
    chunkSizeWarningLimit: 1000,
    // The build of apps/factotum reads both lists, this one and that of the worker, for the third-party notices.
    license: { fileName: ".vite/license.json" },
    // Chromium, like Node, keeps a source text with a character beyond Latin-1 at two bytes per character.
    rolldownOptions: {
      output: {
        charset: "ascii",
        // Otherwise each set of modules that a page shares with the chat is a file of its own, and a phone waits for each.
        codeSplitting: {
          groups: [
            { name: "main", test: /\/src\/main\.ts$/, priority: 2 },
            { name: "start", test: /\/src\/start\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});

/** Names the program that `main.ts` imports in the page, with its styles, so that all of it is loaded at once. Texts of other languages are for those who read them. */
function preloadStart(): Plugin {
  return {
    name: "preload-start",
    apply: "build",
    transformIndexHtml: (_html, { bundle }) => {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === "chunk");
      const start = chunks.find(({ name }) => name === "start");
      if (start === undefined) throw new Error("The build has no chunk of the program: see codeSplitting.");
      const main = chunks.find(({ name }) => name === "main")?.fileName;
      const scripts = [start.fileName, ...start.imports].filter((file) => file !== main);
      return [
        ...scripts.map((file) => ({ tag: "link", attrs: { rel: "modulepreload", href: `./${file}` }, injectTo: "head" as const })),
        ...[...(start.viteMetadata?.importedCss ?? [])].map((file) => ({
          tag: "link",
          attrs: { rel: "stylesheet", href: `./${file}` },
          injectTo: "head" as const,
        })),
      ];
    },
  };
}

export default config;
