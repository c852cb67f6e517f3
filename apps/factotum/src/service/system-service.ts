import type { Environment } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";

/** Settings of a service besides its installation. */
export interface ServiceOptions {
  readonly port?: number;
}

/** The gateway as a service of the user's session. Every method rejects with a `CliError` that names the fix. */
export interface SystemService {
  /** Name of the system's own program, for people. */
  readonly manager: "systemd" | "launchd";
  /** The file that describes the service. */
  readonly file: string;
  isInstalled(): Promise<boolean>;
  /** True while the manager runs the gateway; false if the manager cannot be reached. */
  isRunning(): Promise<boolean>;
  /** The variables with which it starts the gateway, as far as the manager reports them; at least those of the description. Never rejects. */
  environment(): Promise<Environment>;
  /** Checks whether the manager can be reached in this session, without changes: an installation checks this before it stops anything that it would replace. */
  checkSession(): Promise<void>;
  /**
   * Writes the description and starts the service, now and with every session, on `port` if it is given, otherwise on the configured one. A running service is
   * restarted with the new description.
   */
  install(options: ServiceOptions): Promise<void>;
  uninstall(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Makes the manager restart the running service, without waiting: the manager continues even if the caller is a process of the service and ends with it.
   * False without an effect if the service does not run or the caller outlives it.
   */
  restart(): Promise<boolean>;
}

/** The variables that decide which installation the service serves. Keys are not among them: they belong in the configuration. */
export function serviceEnvironment({ env, paths }: CliContext, { port }: ServiceOptions): Readonly<Record<string, string>> {
  const config = env["FACTOTUM_CONFIG"]?.trim();
  return {
    FACTOTUM_HOME: paths.home,
    ...(config === undefined || config === "" ? {} : { FACTOTUM_CONFIG: config }),
    ...(port === undefined ? {} : { FACTOTUM_PORT: String(port) }),
  };
}
