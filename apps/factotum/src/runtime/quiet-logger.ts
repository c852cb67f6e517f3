import type { Logger } from "@factotum/agent-contract";

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** For parts of the gateway that a command uses by itself: what fails is its own message. */
export const QUIET_LOGGER: Logger = { ...QUIET, child: () => QUIET_LOGGER };
