import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { isObject } from "./is-object.ts";

/** What answers depend on. */
export interface RequestContext {
  readonly settings: JsonObject;
  readonly folders: readonly { readonly uri: string; readonly name: string }[];
  readonly registrations: Map<string, { readonly method: string; readonly options: unknown }>;
  readonly onRegistered: () => void;
}

const MAX_REGISTRATIONS = 1_000;
/** Sections of the settings in one answer, each of which can be all of them. */
const MAX_SECTIONS = 100;

/** Requests of servers to the client, a row each. Some servers end if one is refused. */
const REQUESTS: Readonly<Record<string, (params: unknown, context: RequestContext) => unknown>> = {
  "workspace/configuration": (params, { settings }) => {
    const items = isObject(params) && Array.isArray(params["items"]) ? (params["items"] as readonly unknown[]) : [];
    return items.slice(0, MAX_SECTIONS).map((item) => sectionOf(settings, isObject(item) ? item["section"] : undefined));
  },
  "workspace/workspaceFolders": (_params, { folders }) => folders,
  "workspace/applyEdit": () => ({ applied: false, failureReason: "Files are changed by the assistant alone." }),
  "workspace/semanticTokens/refresh": () => null,
  "workspace/codeLens/refresh": () => null,
  "workspace/inlayHint/refresh": () => null,
  "workspace/inlineValue/refresh": () => null,
  "workspace/foldingRange/refresh": () => null,
  "workspace/diagnostic/refresh": () => null,
  "workspace/textDocumentContent/refresh": () => null,
  "client/registerCapability": (params, context) => {
    for (const one of listOf(params, "registrations")) {
      const { id, method, registerOptions } = one;
      if (typeof id !== "string" || typeof method !== "string" || context.registrations.size >= MAX_REGISTRATIONS) continue;
      context.registrations.set(id, { method, options: registerOptions });
    }
    context.onRegistered();
    return null;
  },
  "client/unregisterCapability": (params, context) => {
    // The name is misspelt in the protocol.
    for (const { id } of listOf(params, "unregisterations")) if (typeof id === "string") context.registrations.delete(id);
    context.onRegistered();
    return null;
  },
  "window/workDoneProgress/create": () => null,
  "window/showMessageRequest": () => null,
  "window/showDocument": () => ({ success: false }),
};

/** The answer to a request of a server; `undefined` for a method that the client does not have. */
export function answerServer(method: string, params: unknown, context: RequestContext): { readonly result: unknown } | undefined {
  const answer = Object.hasOwn(REQUESTS, method) ? REQUESTS[method] : undefined;
  return answer === undefined ? undefined : { result: answer(params, context) };
}

/** A section of the settings by its dotted name. A missing one is empty: some servers fail over null. */
function sectionOf(settings: JsonObject, section: unknown): JsonValue {
  if (typeof section !== "string" || section === "") return settings;
  let value: JsonValue | undefined = settings[section];
  if (value !== undefined) return value;
  value = settings;
  for (const part of section.split(".")) value = isObject(value) && Object.hasOwn(value, part) ? (value[part] as JsonValue) : undefined;
  return value ?? {};
}

function listOf(params: unknown, key: string): readonly Readonly<Record<string, unknown>>[] {
  const list: unknown = isObject(params) ? params[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
