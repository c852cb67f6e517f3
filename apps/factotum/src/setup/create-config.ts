import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { dirname, extname, join, relative } from "node:path";
import { describedSchema, loadChannelSchemas, loadConfig, locateConfig, setConfigValue, writePrivateFile } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

/** The JSON Schema for editors, beside the configuration that names it. */
const SCHEMA_FILE = "factotum.schema.json";

/** The first configuration: intentional differences from the defaults, and comments for the most common settings. */
function firstConfig(displaySecretFile: string): string {
  return `// Factotum's configuration. Every key, with its default: factotum config reference
// Check it with "factotum config validate"; change it here or with "factotum config set <key> <value>".
{
  $schema: "./${SCHEMA_FILE}",

  // The model. Without one, a key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY or another of those in the README)
  // or a local Ollama decides; without these the demo model answers.
  // agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
  // models: { providers: { anthropic: { apiKey: { file: "credentials/anthropic" } } } },

  tools: { profile: ["coding", "messaging"] },

  commands: {
    // Who may command the assistant from a chat, as channel:id.
    ownerAllowFrom: [],
    ownerDisplaySecret: { file: ${JSON.stringify(displaySecretFile)} },
  },

  // channels: {
  //   feishu: { appId: "cli_…", appSecret: { env: "FEISHU_APP_SECRET" }, transport: { type: "websocket" } },
  // },
}
`;
}

/** The path of the configuration. */
export interface CreatedConfig {
  readonly path: string;
  /** True if it was created now. */
  readonly created: boolean;
  /** The file existed before and is missing: none was created in its place. */
  readonly missing?: true;
}

/** Writes the first configuration unless one exists or existed. */
export async function createConfig(context: CliContext): Promise<CreatedConfig> {
  const { paths, env } = context;
  const location = await locateConfig(paths, env);
  if (location.exists) return { path: location.path, created: false };
  // A new file would replace a missing one.
  const known = await loadConfig(await configOptions(env));
  if (known.type === "refused" || known.source === "last-good") return { path: known.path, created: false, missing: true };
  const secretFile = join(paths.credentialsFolder, "owner-display-secret");
  if (!(await exists(secretFile))) await writePrivateFile(secretFile, `${randomBytes(32).toString("hex")}\n`);
  const named = relative(paths.home, secretFile);
  if ([".json5", ""].includes(extname(location.path))) {
    await writePrivateFile(location.path, firstConfig(named));
  } else {
    await setOrFail(context, "$schema", `./${SCHEMA_FILE}`);
    await setOrFail(context, "tools.profile", ["coding", "messaging"]);
    await setOrFail(context, "commands", { ownerAllowFrom: [], ownerDisplaySecret: { file: named } });
  }
  return { path: location.path, created: true };
}

/** Writes the JSON Schema of this version beside the configuration, so that an editor completes, explains and checks it. */
export async function writeConfigSchema({ env }: Pick<CliContext, "env">, configPath: string): Promise<void> {
  const schema = describedSchema(await loadChannelSchemas((await configOptions(env)).channels));
  await writePrivateFile(join(dirname(configPath), SCHEMA_FILE), `${JSON.stringify(schema, null, 2)}\n`);
}

async function setOrFail({ env }: CliContext, key: string, value: Parameters<typeof setConfigValue>[1]): Promise<void> {
  const result = await setConfigValue(key, value, await configOptions(env));
  if (result.type === "refused") throw new CliError("failure", `${result.path} could not be made: ${result.problems[0]?.message ?? ""}`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
