import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";
import { precompress } from "./precompress.config.ts";

const config: UserConfig = defineConfig({
  // Relative addresses: the page also works below a path of a reverse proxy.
  base: "./",
  plugins: [
    react(),
    // The gateway serves these forms as they are; nothing is compressed while somebody waits.
    { name: "precompress", apply: "build", closeBundle: () => precompress(fileURLToPath(new URL("./dist", import.meta.url))) },
  ],
  resolve: { conditions: ["factotum-source", "module", "browser", "development|production"] },
  build: {
    target: "es2023",
    // Nothing is inlined and no polyfill is injected: the page's policy allows neither.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Grammars are as large as they are; what the chat itself may load is held by e2e/bundle.test.ts.
    chunkSizeWarningLimit: 1000,
    // The build of apps/factotum reads it for the third-party notices.
    license: { fileName: ".vite/license.json" },
  },
});

export default config;
