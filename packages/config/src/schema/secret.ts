import * as z from "zod";
import { texts } from "./values.ts";

/** The source of a secret. Plain data: `resolveSecret` reads the value when its consumer starts. Only `literal` contains the secret itself. */
export type Secret =
  | { readonly type: "literal"; readonly value: string }
  | { readonly type: "env"; readonly name: string }
  /** Relative paths start at the state directory; `~` is the user's home. */
  | { readonly type: "file"; readonly path: string }
  /** A program and its arguments; no shell. */
  | { readonly type: "exec"; readonly command: readonly string[] };

/** Replaces a literal secret in all output. Refused as a value in a file. */
export const REDACTED = "__factotum_redacted__";

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const variableReference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

const FORMS = 'a secret is a text, "${VARIABLE}", { env: "VARIABLE" }, { file: "credentials/name" } or { exec: ["command", "argument"] }';

const WrittenSecretSchema = z.union(
  [
    z
      .string()
      .min(1)
      .refine((text) => text !== REDACTED, {
        error: "this is the mark that stands for a hidden secret; write the secret itself, or where it comes from",
      })
      .meta({ writeOnly: true }),
    z.strictObject({ env: z.string().regex(variableName).describe("Environment variable of the gateway that holds the secret.") }),
    z.strictObject({ file: z.string().min(1).describe("File that holds the secret; relative paths count from the state directory.") }),
    z.strictObject({ exec: z.array(z.string()).min(1).describe("Program and arguments; what it prints is the secret. No shell.") }),
  ],
  { error: ({ input }) => (input === REDACTED ? undefined : FORMS) },
);

/** Parses every written form of a secret: a string, `${VAR}`, `{env}`, `{file}`, `{exec}`. */
export const SecretSchema: z.ZodType<Secret> = WrittenSecretSchema.transform(toSecret);

/** Parses variables for a program, whose values may be secret. */
export const EnvSchema: z.ZodRecord<z.ZodString, z.ZodType<Secret>> = z.record(
  texts("a variable's name is letters, digits and _", /^[A-Za-z_][A-Za-z0-9_]*$/),
  SecretSchema,
);

/** True for `{env}`, `{file}`, `{exec}` and `${VAR}`: forms that refer to a secret without containing it. */
export function isSecretReference(value: unknown): boolean {
  return !(typeof value === "string" && !variableReference.test(value)) && WrittenSecretSchema.safeParse(value).success;
}

/** Parses one written form; `undefined` if it is not valid. */
export function parseSecret(value: unknown): Secret | undefined {
  const parsed = SecretSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

function toSecret(written: z.infer<typeof WrittenSecretSchema>): Secret {
  if (typeof written === "string") {
    const name = variableReference.exec(written)?.[1];
    return name === undefined ? { type: "literal", value: written } : { type: "env", name };
  }
  if ("env" in written) return { type: "env", name: written.env };
  if ("file" in written) return { type: "file", path: written.file };
  return { type: "exec", command: written.exec };
}
