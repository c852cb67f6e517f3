import { httpFetch } from "@factotum/models";
import type { DeskParts, Desks } from "../compose/compose-gateway.ts";
import { createOwnerControl } from "../compose/create-owner-control.ts";
import { configOptions, firstRunExtensions } from "../compose/extensions.ts";
import { createSetupControl } from "../first-run/create-setup-control.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { createConfigDesk } from "./config-desk.ts";
import { createFileDesk } from "./file-desk.ts";
import { lateDesk } from "./late-desk.ts";
import { createLogDesk } from "./log-desk.ts";
import { createNoteDesk } from "./note-desk.ts";
import { createNoteHistory } from "./note-history.ts";

/** Restarts this process. */
interface RestartParts {
  /** Rejects with a `CliError` if the next start would be refused. */
  readonly requireStart: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** All that clients may ask of the product. What most gateways are never asked for is loaded when it is. */
export function createDesks(parts: DeskParts, restarting: RestartParts): Desks {
  const { context, loaded, control, secrets, owned, currentConfig, mcp, lsp } = parts;
  const { env } = context;
  const changing = { context, control, currentConfig, clock: systemClock };
  const hide = (text: string): string => secrets.toolOutput.redact(text);
  const onSecret = (secret: string): void => secrets.add([secret]);
  const channels = { context, control, onSecret };
  const files = { ...owned, currentConfig, secrets };
  return {
    desks: {
      access: lateDesk(async () => (await import("./channel-desk.ts")).createAccessDesk(channels)),
      agents: lateDesk(async () => (await import("./agent-desk.ts")).createAgentDesk(changing)),
      channels: lateDesk(async () => (await import("./channel-desk.ts")).createChannelDesk(channels)),
      config: createConfigDesk({ options: async () => configOptions(env), hide, control }),
      files: createFileDesk({ ...files, clock: systemClock }),
      log: createLogDesk({ path: context.paths.logFile, hide: (text) => secrets.hide(text) }),
      plugins: lateDesk(async () => (await import("./plugin-desk.ts")).createPluginDesk(changing)),
      servers: lateDesk(async () =>
        (await import("./server-desk.ts")).createServerDesk({ ...changing, configPath: loaded.path, mcp, lsp, hide }),
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
      skills: lateDesk(async () => (await import("./skill-desk.ts")).createSkillDesk({ ...changing, secrets })),
    },
    memory: {
      files: createNoteDesk(files),
      history: createNoteHistory(owned.versions, files),
      forgetting: lateDesk(async () => (await import("./forget-desk.ts")).createForgetDesk({ ...context, ...restarting })),
    },
    ownerControl: createOwnerControl(context, control),
  };
}
