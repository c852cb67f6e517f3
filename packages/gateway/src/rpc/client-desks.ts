import type { AccessDesk } from "./access-handlers.ts";
import type { AgentDesk } from "./agent-handlers.ts";
import type { ChannelDesk } from "./channel-desk.ts";
import type { ConfigDesk } from "./config-handlers.ts";
import type { FileDesk } from "./file-handlers.ts";
import type { LogDesk } from "./log-handlers.ts";
import type { PluginDesk } from "./plugin-handlers.ts";
import type { ServerDesk } from "./server-handlers.ts";
import type { SetupControl } from "./setup-handlers.ts";
import type { SkillDesk } from "./skill-handlers.ts";

/** What methods ask of the product, which the gateway itself does not have. Each desk refuses with an `RpcError`. */
export interface ClientDesks {
  readonly access: AccessDesk;
  readonly agents: AgentDesk;
  readonly channels: ChannelDesk;
  readonly config: ConfigDesk;
  readonly files: FileDesk;
  readonly log: LogDesk;
  readonly plugins: PluginDesk;
  readonly servers: ServerDesk;
  readonly setup: SetupControl;
  readonly skills: SkillDesk;
}
