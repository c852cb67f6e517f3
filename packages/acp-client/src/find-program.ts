import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** The file of a program: itself, if it is named by a path, else the first one in the folders. `undefined`: no such file can be run. Looks at the disk. */
export function findProgram(command: string, searchPath: string): string | undefined {
  const places = command.includes("/") ? [command] : searchPath.split(path.delimiter).map((folder) => path.join(folder, command));
  return places.find((place) => isProgram(place));
}

/** Why a program cannot be started; `undefined`: it is there. */
export function programProblem(command: string, searchPath: string): string | undefined {
  if (findProgram(command, searchPath) !== undefined) return undefined;
  return command.includes("/") ? `there is no program ${command}` : `there is no program ${command} on the PATH`;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
