import type { ChannelHost } from "@factotum/channel-contract";
import type { Logger } from "chat";

/** The log of an adapter. Its fields are left out: they can be texts of messages. */
export function createAdapterLogger(logger: ChannelHost["logger"]): Logger {
  const own: Logger = {
    child: () => own,
    debug: (message) => logger.debug(line(message)),
    info: (message) => logger.debug(line(message)),
    warn: (message) => logger.warn(line(message)),
    error: (message) => logger.warn(line(message)),
  };
  return own;
}

function line(message: string): string {
  return `adapter: ${message.split("\n", 1)[0] ?? ""}`;
}
