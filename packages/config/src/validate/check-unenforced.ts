import { valueAt } from "../document/key-path.ts";
import { matchingPaths } from "../document/matching-paths.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** A restricting key that this build does not enforce. Remove the row once the feature is implemented. */
interface UnenforcedKey {
  /** `*` matches any one part. */
  readonly keys: readonly string[];
  /** True for values that allow less than this build does. */
  readonly narrows: (value: unknown) => boolean;
  /** Why it is refused and what to write instead. */
  readonly message: string;
}

const NO_SANDBOX = "this build has no sandbox, so commands would run without these limits";

const UNENFORCED_KEYS: readonly UnenforcedKey[] = [
  {
    keys: ["commandHooks"],
    narrows: (value) => Array.isArray(value) && value.length > 0,
    message: "this build runs no command hooks, so none would deny anything; remove the key, and deny tools in tools.deny",
  },
  {
    keys: ["tools.elevated.enabled"],
    narrows: (value) => value === true,
    message: "this build has no sandbox that elevated commands could leave, and no approvals; remove the key, or write false",
  },
  {
    keys: ["tools.sandbox.tools.allow"],
    narrows: (value) => isListOfNames(value) && !value.includes("*"),
    message:
      "this build has no sandbox, so this list would hold for no session; remove it, and narrow tools.allow or the tools of an agent",
  },
  {
    keys: ["tools.sandbox.tools.deny"],
    narrows: (value) => isListOfNames(value) && value.length > 0,
    message:
      "this build has no sandbox, so this list would hold for no session; remove it, and write the names into tools.deny or the tools of an agent",
  },
  {
    keys: sandboxKeys("mode"),
    narrows: (value) => value === "non-main" || value === "all",
    message: `${NO_SANDBOX}; remove the key, and write tools.exec.mode: "deny" if commands must not run without a sandbox`,
  },
  {
    keys: sandboxKeys("workspaceAccess"),
    narrows: (value) => value === "none" || value === "ro",
    message: `${NO_SANDBOX}; remove the key (other people's files are kept in folders of their own without it)`,
  },
  {
    keys: sandboxKeys("network"),
    narrows: (value) => typeof value === "string" || isPlainObject(value),
    message: `${NO_SANDBOX} and reach every network; remove the key, and write tools.exec.mode: "deny" if that must not be`,
  },
  {
    keys: ["channels.*.groups.*.toolsBySender", "channels.*.accounts.*.groups.*.toolsBySender"],
    narrows: (value) => isPlainObject(value) && Object.keys(value).length > 0,
    message: "this build does not tell senders of a group apart in its tool policy yet; remove the key, and narrow the tools of the group",
  },
];

/** The keys of a document that set limits which this build does not enforce. Checks the raw document, so that a bad value elsewhere hides nothing. */
export function checkUnenforced(document: Document): ConfigProblem[] {
  return UNENFORCED_KEYS.flatMap(({ keys, narrows, message }) =>
    keys
      .flatMap((key) => matchingPaths(document, key))
      .filter((path) => narrows(valueAt(document, path)))
      .map((path) => problemAt("unenforced", path, message)),
  );
}

function sandboxKeys(key: string): readonly string[] {
  return [`agents.defaults.sandbox.${key}`, `agents.list.*.sandbox.${key}`];
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
