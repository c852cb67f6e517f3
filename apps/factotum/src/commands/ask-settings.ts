import type { JsonObject, JsonSchema, JsonValue } from "@factotum/agent-contract";
import { nearestName } from "@factotum/agent-contract";
import { isSecretPath, parseTypedValue } from "@factotum/config";
import { fillForm, type AnswerField, type FormField } from "../extensions/account-form.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { Prompts } from "../runtime/prompts.ts";

/** Parses `--set key=value`; `key=-` reads standard input. */
export async function readGiven(context: CliContext, pairs: readonly string[]): Promise<Map<string, string>> {
  const given = new Map<string, string>();
  for (const pair of pairs) {
    const [, key, value] = /^([^=]+)=([^]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      throw new CliError("usage", `"${pair.split("=")[0] ?? ""}" has no value.`, { fix: "Write --set key=value." });
    }
    given.set(key, value === "-" ? ((await context.readInput?.()) ?? "").trim() : value);
  }
  return given;
}

/** What a person has answered, kept so that only what was refused is asked for again. */
export class AccountAnswers {
  readonly #values = new Map<string, JsonValue | undefined>();
  readonly #refused = new Map<string, JsonValue | undefined>();

  has(key: string): boolean {
    return this.#values.has(key);
  }

  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: JsonValue | undefined): void {
    this.#values.set(key, value);
  }

  /** The refused answer, to be corrected. */
  refused(key: string): JsonValue | undefined {
    return this.#refused.get(key);
  }

  /** Withdraws the answers at, above and below these keys; false if there are no such answers. */
  withdraw(places: readonly string[]): boolean {
    const isAt = (key: string, place: string): boolean => key === place || key.startsWith(`${place}.`) || place.startsWith(`${key}.`);
    const wrong = [...this.#values].filter(([key]) => places.some((place) => isAt(key, place)));
    for (const [key, value] of wrong) {
      this.#values.delete(key);
      this.#refused.set(key, value);
    }
    return wrong.length > 0;
  }
}

interface Asking {
  readonly given: Map<string, string>;
  /** `undefined` without a terminal. */
  readonly prompts: Prompts | undefined;
  readonly answers: AccountAnswers;
}

/** The settings of an account by the schema of its channel: those that are given, and those that a person answers. Rejects with a `CliError` if one is missing or unknown. */
export async function askSettings(schema: JsonSchema, { given, prompts, answers }: Asking): Promise<JsonObject> {
  const missing: FormField[] = [];
  const keys: string[] = [];
  const answer: AnswerField = async (field) => {
    keys.push(field.key);
    const value = takeGiven(field, given);
    if (value !== undefined) return value;
    if (answers.has(field.key)) return answers.get(field.key);
    if (!field.isRequired && (field.isAsked !== true || prompts === undefined)) return undefined;
    if (prompts !== undefined) {
      const answered = await ask(prompts, field, answers.refused(field.key));
      answers.set(field.key, answered);
      return answered;
    }
    missing.push(field);
    return undefined;
  };
  const settings = await fillForm(schema, answer);
  if (missing.length > 0) throw missingSettings(missing, given);
  // Keys that every account has; the configuration's own check refuses unknown ones.
  const common = [...given].filter(([key]) => !key.includes(".")).map(([key, text]) => [key, parseTypedValue(text)] as const);
  const unknown = [...given.keys()].filter((key) => key.includes("."));
  if (unknown.length > 0) {
    const nearest = unknown.flatMap((key) => nearestName(key, keys) ?? [])[0];
    throw new CliError(
      "usage",
      `There is no setting ${unknown.join(", ")} here${nearest === undefined ? "." : `; did you mean "${nearest}"?`}`,
    );
  }
  return { ...settings, ...Object.fromEntries(common) };
}

function missingSettings(missing: readonly FormField[], given: ReadonlyMap<string, string>): CliError {
  const list = missing.map(
    ({ key, description }) => `--set ${key}=…${description === undefined ? "" : ` (${description.replace(/\.$/, "")})`}`,
  );
  const misspelt = [...given.keys()].flatMap((key) => {
    const nearest = nearestName(
      key,
      missing.map((field) => field.key),
    );
    return nearest === undefined ? [] : [` There is no setting ${key}; did you mean "${nearest}"?`];
  });
  return new CliError("usage", `These settings are needed: ${list.join(", ")}.${misspelt.join("")}`, {
    fix: "A secret can be read from standard input: --set key=-",
  });
}

/** Takes a field out of what is given: as a whole, or for an object by its keys, such as `options.mode`. */
function takeGiven(field: FormField, given: Map<string, string>): JsonValue | undefined {
  const whole = given.get(field.key);
  given.delete(field.key);
  if (whole !== undefined) return valueOf(field, whole);
  if (field.type === "text") return undefined;
  const prefix = `${field.key}.`;
  const parts = [...given].filter(([key]) => key.startsWith(prefix));
  if (parts.length === 0) return undefined;
  for (const [key] of parts) given.delete(key);
  return objectFrom(parts.map(([key, text]) => [key.slice(prefix.length).split("."), textOrValue(field, key, text)] as const));
}

/** A secret stays text, also one of digits. */
function textOrValue({ key }: FormField, name: string, text: string): JsonValue {
  const isSecret = isSecretPath([key, ...name.slice(key.length + 1).split(".")]);
  return valueOf({ type: isSecret ? "text" : "json", isSecret }, text);
}

function objectFrom(entries: readonly (readonly [readonly string[], JsonValue])[]): JsonObject {
  const groups = Map.groupBy(entries, ([[head = ""]]) => head);
  return Object.fromEntries(
    [...groups].map(([head, members]) => {
      const inner = members.map(([[, ...rest], value]) => [rest, value] as const);
      const [[rest, value] = [[], ""] as const] = inner;
      return [head, rest.length === 0 ? value : objectFrom(inner)];
    }),
  );
}

function valueOf({ type, isSecret }: Pick<FormField, "type" | "isSecret">, text: string): JsonValue {
  const isReference = isSecret && /^\s*\{/.test(text);
  return type === "text" && !isReference ? text : parseTypedValue(text);
}

/** Asks for one field. `refused`: the answer before, which was wrong. */
async function ask(prompts: Prompts, field: FormField, refused: JsonValue | undefined): Promise<JsonValue | undefined> {
  const { key, description, isSecret, choices, default: written } = field;
  const question = description === undefined ? key : `${key}: ${description}`;
  if (field.type === "map") return askMap(prompts, question, key);
  const initial = refused ?? written;
  const proposed = typeof initial === "string" ? initial : "";
  const answer =
    choices !== undefined
      ? await prompts.select(
          question,
          choices.map((value) => ({ value, label: value })),
          proposed === "" ? undefined : proposed,
        )
      : isSecret
        ? await prompts.password(question)
        : await prompts.text(question, proposed);
  const text = typed(answer);
  return text === "" && !field.isRequired ? undefined : valueOf(field, text);
}

/** The keys of an object whose names are known to another program only, until an empty one. */
async function askMap(prompts: Prompts, question: string, key: string): Promise<JsonObject | undefined> {
  const entries: (readonly [readonly string[], JsonValue])[] = [];
  for (;;) {
    const asked = entries.length === 0 ? `${question} Name of the first, or nothing` : `${key}: name of the next, or nothing`;
    const name = typed(await prompts.text(asked, ""));
    if (name === "") return entries.length === 0 ? undefined : objectFrom(entries);
    const path = name.split(".");
    const isSecret = isSecretPath([key, ...path]);
    const label = `${key}.${name}`;
    const text = typed(isSecret ? await prompts.password(label) : await prompts.text(label, ""));
    entries.push([path, valueOf({ type: isSecret ? "text" : "json", isSecret }, text)]);
  }
}

function typed(answer: string | undefined): string {
  if (answer === undefined) throw new CliError("failure", "Nothing was set up.");
  return answer.trim();
}
