import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { browserLibrary } from "../../scripts/build/browser-library.ts";
import { builtInExtensions } from "../../scripts/build/built-in-extensions.ts";
import { chunkGraph } from "../../scripts/build/chunk-graph.ts";
import { commonJsBuilds } from "../../scripts/build/commonjs-builds.ts";
import { mitLicence, thirdPartyNotices } from "../../scripts/build/third-party-notices.ts";

/** What every command needs, and that imports only small parts of Node. */
const BASE = {
  name: "base",
  priority: 4,
  test: /\/apps\/factotum\/src\/(?:runtime\/(?:assets|node-version|version|tuning\/tune-process|log-line|cli-error|exit-codes|cli-context))\.ts$|\/config\/src\/state\/(?:state-paths|gateway-token|atomic-file|make-folder)\.ts$|\/(?:clean-text|parse-arguments|thinking-levels|keyed-queue|without-undefined)\.ts$/,
} as const;

/** Small modules of the gateway that several of its chunks share: a chunk for each would cost every start a resolution and memory. */
const GATEWAY = {
  name: "gateway",
  priority: 1,
  // Tools in a prompt are for few models, and bring the parser of broken JSON with them. The thread that reads pages needs nothing else of the gateway.
  test: /\/packages\/(?:gateway|agent-core|tools|models|channel-kit|channel-contract)\/src\/(?!prompt-tools\/|web\/page\/)/,
  minShareCount: 2,
  maxModuleSize: 6_000,
} as const;

/** What commands share with the gateway, so that they need not load all of it. */
const ZOD = { name: "zod", priority: 3, test: /\/node_modules\/zod\// } as const;
const CONFIG = { name: "config", priority: 3, test: /\/packages\/(?:config|agent-contract)\/src\//, minShareCount: 3 } as const;
/** Providers and their models: commands check names with them, and need nothing else of the gateway. */
const PROVIDERS = {
  name: "providers",
  priority: 3,
  test: /\/packages\/models\/src\/(?:providers|ollama\/ollama-address|catalogue\/[\w.-]+)\.ts$/,
} as const;
/** What clients and the gateway say to each other: a command that asks a running gateway needs nothing else of it. */
const PROTOCOL = { name: "protocol", priority: 3, test: /\/packages\/protocol\/src\// } as const;
/** How a start would treat the database: "factotum status" says it without the rest of the store. */
const RECOVERY = {
  name: "recovery",
  priority: 3,
  test: /\/packages\/store\/src\/(?:damage\/damage-log|sqlite\/connection\/database-name|sqlite\/recovery\/(?:pending-recovery|find-loss|damage-mark|recovery-journal|session-copies|snapshots|check-file)|session-file\/(?:open-source|read-lines|unknown-value)|port\/store-error)\.ts$/,
} as const;
const STORE = { name: "store", priority: 2, test: /\/packages\/store\/src\//, minShareCount: 3 } as const;

/**
 * The product: every dependency is bundled, straight from the sources of the workspace, into chunks that are loaded on demand. `shims` is for the Lark SDK,
 * which reads `__dirname`. White space and comments are a third of the bytes and cost start time and memory; names stay, so that stack traces are readable.
 * ASCII alone, because V8 keeps a source text with a character beyond Latin-1 at two bytes per character.
 */
const config: UserConfig = defineConfig({
  // The program of a thread or a process is a separate entry: nothing imports it.
  entry: {
    factotum: "src/factotum.ts",
    "image-worker": "../../packages/gateway/src/media/images/image-worker.ts",
    "import-worker": "../../packages/store/src/session-file/session-file-worker.ts",
    "page-worker": "../../packages/tools/src/web/page/page-worker.ts",
    "forget-worker": "src/forget/forget-worker.ts",
    "pdf-program": "../../packages/tools/src/pdf/pdf-program.ts",
    "browser-program": "../../packages/tools/src/browser/program/browser-program.ts",
    "plugin-program": "../../packages/plugin-host/src/child/plugin-program.ts",
  },
  format: "esm",
  platform: "node",
  target: "node24",
  dts: false,
  shims: true,
  sourcemap: false,
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  outputOptions: { charset: "ascii", codeSplitting: { groups: [BASE, ZOD, CONFIG, PROVIDERS, PROTOCOL, RECOVERY, STORE, GATEWAY] } },
  deps: { alwaysBundle: [/./], onlyBundle: false },
  inputOptions: { resolve: { conditionNames: ["factotum-source", "import", "module", "node", "default"] } },
  plugins: [
    browserLibrary(),
    builtInExtensions(),
    chunkGraph(),
    // A base class in the library of the IRC channel.
    commonJsBuilds(["eventemitter3"]),
    thirdPartyNotices({
      isOwn: (name) => name === "factotum" || name.startsWith("@factotum/"),
      exceptions: {
        "@ai-sdk/provider-utils": { type: "same-as", name: "@ai-sdk/provider" },
        "@croct/json5-parser": { type: "text", text: mitLicence("Croct") },
        "agent-base": { type: "readme" },
        "https-proxy-agent": { type: "readme" },
      },
      otherBundles: ["license", "worker-license"].map((name) => fileURLToPath(new URL(`../web/dist/.vite/${name}.json`, import.meta.url))),
    }),
  ],
  copy: [
    { from: "../web/dist", to: "dist", rename: "web" },
    { from: "../../packages/skills/bundled", to: "dist", rename: "skills" },
    { from: "templates", to: "dist" },
    {
      from: [
        "a2a",
        "access",
        "backup",
        "browser",
        "chat-sdk",
        "clients",
        "cli",
        "configuration-reference",
        "conversations",
        "costs",
        "deploy",
        "discord",
        "email",
        "extensions",
        "feishu",
        "irc",
        "lsp",
        "matrix",
        "mcp",
        "media",
        "observing",
        "ollama",
        "openai-api",
        "openrouter",
        "plugins",
        "providers",
        "reverse-proxy",
        "sandbox",
        "service",
        "slack",
        "telegram",
        "tools",
        "troubleshooting",
        "web",
        "webhook",
      ]
        .map((name) => `../../docs/${name}.md`)
        .concat("../../SECURITY.md", "../../README.md"),
      to: "dist/docs",
    },
  ],
  publint: { strict: true },
});

export default config;
