import { httpFetch } from "@factotum/models";
import type { ServiceParts, Services } from "../compose/compose-gateway.ts";
import { createOwnerControl } from "../compose/create-owner-control.ts";
import { configOptions, firstRunExtensions } from "../compose/extensions.ts";
import { createSetupControl } from "../first-run/create-setup-control.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { createConfigService } from "./config-service.ts";
import { createFileService } from "./file-service.ts";
import { lazyService } from "./lazy-service.ts";
import { createLogService } from "./log-service.ts";
import { createNoteService } from "./note-service.ts";
import { createNoteHistory } from "./note-history.ts";

/** Restarts this process. */
interface RestartParts {
  /** Rejects with a `CliError` if the next start would be refused. */
  readonly requireStart: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** All that clients may ask of the product. What most gateways are never asked for is loaded when it is. */
export function createAdminServices(parts: ServiceParts, restarting: RestartParts): Services {
  const { context, loaded, control, secrets, owned, currentConfig, mcp, lsp } = parts;
  const { env } = context;
  const changing = { context, control, currentConfig, clock: systemClock };
  const hide = (text: string): string => secrets.toolOutput.redact(text);
  const onSecret = (secret: string): void => secrets.add([secret]);
  const channels = { context, control, onSecret };
  const files = { ...owned, currentConfig, secrets };
  return {
    services: {
      access: lazyService(async () => (await import("./channel-service.ts")).createAccessService(channels)),
      agents: lazyService(async () => (await import("./agent-service.ts")).createAgentService(changing)),
      channels: lazyService(async () => (await import("./channel-service.ts")).createChannelService(channels)),
      config: createConfigService({ options: async () => configOptions(env), hide, control }),
      files: createFileService({ ...files, clock: systemClock }),
      log: createLogService({ path: context.paths.logFile, hide: (text) => secrets.hide(text) }),
      plugins: lazyService(async () => (await import("./plugin-service.ts")).createPluginService(changing)),
      servers: lazyService(async () =>
        (await import("./server-service.ts")).createServerService({ ...changing, configPath: loaded.path, mcp, lsp, hide }),
      ),
      setup: createSetupControl({
        env,
        ...firstRunExtensions(env),
        fetch: httpFetch,
        clock: systemClock,
        onSecret,
        applyChange: async () => {
          const { type, problems } = await control.reload({ force: true });
          return type === "kept" ? problems.join("; ") : undefined;
        },
      }),
      skills: lazyService(async () => (await import("./skill-service.ts")).createSkillService({ ...changing, secrets })),
    },
    memory: {
      files: createNoteService(files),
      history: createNoteHistory(owned.versions, files),
      forgetting: lazyService(async () => (await import("./forget-service.ts")).createForgetService({ ...context, ...restarting })),
    },
    ownerControl: createOwnerControl(context, control),
  };
}
