import { homedir } from "node:os";
import path from "node:path";

/** A path that the file tools understand and that does not reveal the home of the gateway's account. */
export function fromUserHome(file: string): string {
  const way = path.relative(homedir(), file);
  return path.isAbsolute(file) && !way.startsWith("..") ? path.join("~", way) : file;
}
