import { matchingPaths } from "../document/matching-paths.ts";
import type { Document } from "../document/plain-object.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

const SENDERS = ["channels.*.groups.*.toolsBySender.*", "channels.*.accounts.*.groups.*.toolsBySender.*"];

/** Keys that name people by something that they can change, or that the gateway cannot check. */
const BY_NAME = /^(?:e164|username|name):/i;

/** `channel:<channel>:<id>` or `id:<id>` without its id. */
const WITHOUT_ID = /^(?:id:|channel:[^:]*(?::\s*)?)$/i;

/** Validates the keys of `toolsBySender`. A key that matches nobody narrows nothing, and one that a person can leave by a new name does not hold. */
export function checkSenderPolicies(document: Document): ConfigProblem[] {
  return SENDERS.flatMap((place) => matchingPaths(document, place)).flatMap((path) => {
    const key = String(path.at(-1));
    if (BY_NAME.test(key))
      return [
        problemAt(
          "unenforced",
          path,
          `"${key}" names a person by what they can change; write the id that the platform gives them, as in allowFrom`,
        ),
      ];
    if (WITHOUT_ID.test(key) || key.trim() !== key)
      return [problemAt("unenforced", path, `"${key}" names nobody; write an id, id:<id> or channel:<channel>:<id>`)];
    return [];
  });
}
