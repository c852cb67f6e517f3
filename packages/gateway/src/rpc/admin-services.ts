import type { AccessService } from "./access-handlers.ts";
import type { AgentService } from "./agent-handlers.ts";
import type { ChannelService } from "./channel-service.ts";
import type { ConfigService } from "./config-handlers.ts";
import type { FileService } from "./file-handlers.ts";
import type { LogService } from "./log-handlers.ts";
import type { PluginService } from "./plugin-handlers.ts";
import type { ServerService } from "./server-handlers.ts";
import type { SetupControl } from "./setup-handlers.ts";
import type { SkillService } from "./skill-handlers.ts";

/** What methods ask of the product, which the gateway itself does not have. Each service refuses with an `RpcError`. */
export interface AdminServices {
  readonly access: AccessService;
  readonly agents: AgentService;
  readonly channels: ChannelService;
  readonly config: ConfigService;
  readonly files: FileService;
  readonly log: LogService;
  readonly plugins: PluginService;
  readonly servers: ServerService;
  readonly setup: SetupControl;
  readonly skills: SkillService;
}
