import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The paths of one installation. Absolute. */
export interface StatePaths {
  /** The state directory, mode 700. */
  readonly home: string;
  /** The user's own home directory. */
  readonly userHome: string;
  readonly stateFolder: string;
  readonly credentialsFolder: string;
  readonly gatewayTokenFile: string;
  /** Runtime facts that a running gateway writes. */
  readonly runtimeFile: string;
  /** The gateway's log, one JSON object per line. */
  readonly logFile: string;
  /** The output of a background gateway since its start. */
  readonly outputFile: string;
  /** Earlier versions of the configuration. */
  readonly configVersionsFolder: string;
  readonly workspace: string;
  readonly skillsFolder: string;
}

/** The paths below `FACTOTUM_HOME`, or `~/.factotum` if it is not set. */
export function statePaths(env: Environment): StatePaths {
  const userHome = nonEmpty(env["HOME"]) ?? homedir();
  const named = nonEmpty(env["FACTOTUM_HOME"]);
  const home = named === undefined ? join(userHome, ".factotum") : resolve(expandHome(named, { userHome }));
  const stateFolder = join(home, "state");
  const credentialsFolder = join(home, "credentials");
  return {
    home,
    userHome,
    stateFolder,
    credentialsFolder,
    gatewayTokenFile: join(credentialsFolder, "gateway-token"),
    runtimeFile: join(stateFolder, "gateway.json"),
    logFile: join(home, "logs", "gateway.log"),
    outputFile: join(home, "logs", "gateway.out"),
    configVersionsFolder: join(stateFolder, "config-versions"),
    workspace: join(home, "workspace"),
    skillsFolder: join(home, "skills"),
  };
}

/** Replaces a leading `~` by the user's home. */
export function expandHome(path: string, { userHome }: Pick<StatePaths, "userHome">): string {
  if (path === "~") return userHome;
  return path.startsWith("~/") && !isAbsolute(path) ? join(userHome, path.slice(2)) : path;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
