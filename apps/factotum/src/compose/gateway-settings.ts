import type { CommandRunner, Logger, SettingsService } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import type { GatewaySettings } from "@factotum/gateway";
import { createCoreTools, createMediaTools, createPdfReader, createRipgrep, type FileAccess } from "@factotum/tools";
import { assetPath } from "../runtime/assets.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { channelAccounts } from "./channel-accounts.ts";
import { commandSearchPath } from "./command-environment.ts";
import type { ComposedPlugins } from "./compose-plugins.ts";
import { changingSkillFolders, composeSkillIndex } from "./compose-skills.ts";
import type { Integrations } from "./open-integrations.ts";
import { redactTools } from "./redact-tools.ts";
import type { SkillRuns } from "./skill-runs.ts";
import { webSearchSettings } from "./web-search-settings.ts";

/** What the settings of every configuration share. */
export interface SettingsParts extends Omit<Integrations, "plugins" | "acp"> {
  readonly context: CliContext;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly token: string | undefined;
  readonly files: FileAccess;
  readonly runner: CommandRunner;
  readonly skillRuns: SkillRuns;
  readonly plugins: Pick<ComposedPlugins, "sources" | "commandFolders">;
  readonly settings: SettingsService;
}

/** The settings of a configuration: what the gateway replaces when the file changes. */
export function settingsOf(config: FactotumConfig, parts: SettingsParts): GatewaySettings {
  const { context, files, runner, skillRuns, web, browsers, mcp, lsp, memory, plugins, secrets, logger, token } = parts;
  const { env, paths } = context;
  const findText = createRipgrep({ searchPath: commandSearchPath(context) });
  const webAccess = { ...web, fetch: config.tools.web.fetch, search: webSearchSettings(config, env) };
  const readPdf = createPdfReader({ clock: systemClock, program: assetPath("pdf-program") });
  return {
    config,
    accounts: (parts) => channelAccounts(config, { parts, env, secrets }),
    toolSources: ({ messenger, planBoard, questioner, reporter, restarter, media, sampler, background, jobs, sessions, subagents }) => [
      memory.withTools({
        id: "core",
        tools: redactTools(
          [
            ...createCoreTools({
              files: skillRuns.observe(files),
              runner,
              messenger,
              planBoard,
              questioner,
              reporter,
              restarter,
              jobs,
              sessions,
              subagents,
              settings: parts.settings,
              background,
              clock: systemClock,
              readPdf,
              findText,
              changeChecker: lsp.changes,
              web: webAccess,
              execTimeoutSeconds: config.tools.exec.timeoutSeconds,
              execSearchPath: commandSearchPath(context),
              execAvoidsShell: config.tools.exec.mode === "allowlist",
              commandEnvironment: skillRuns.environment,
            }),
            ...browsers.tools(config, files),
            ...createMediaTools({
              media,
              files,
              web: webAccess,
              makesImages: config.models.imageGeneration !== undefined,
              speaks: config.messages.tts.provider !== undefined,
            }),
          ],
          secrets.toolOutput,
        ),
      }),
      ...mcp.sources(config, { questioner, sampler }),
      ...lsp.sources(config),
      ...plugins.sources(),
    ],
    skills: composeSkillIndex(config, context, logger, plugins.commandFolders()),
    skillFolders: changingSkillFolders(paths, config),
    token,
  };
}
