import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { WireFormatName } from "../strict/wire.ts";

/** A recorded body and the format that it was sent in. */
export interface OfficialSubject {
  readonly format: WireFormatName;
  readonly body: JsonObject;
}

/** A complaint of the official SDK about a body. */
export interface OfficialComplaint {
  /** Of the subject in the list. */
  readonly index: number;
  readonly message: string;
}

/**
 * The vendors' published types of a body. The compiler no longer has an API from which a JSON Schema could be generated, so the bodies are compiled as they
 * are. Google's SDK has its own types for what it sends: of a body, contents, the system instruction and the generation's plain options are those of the wire;
 * the rest is left to the rules.
 */
const TYPES: Readonly<Partial<Record<WireFormatName, string>>> = {
  "anthropic-messages": 'import("@anthropic-ai/sdk").default.MessageCreateParams',
  "openai-responses": 'import("openai").default.Responses.ResponseCreateParams',
  "openai-chat": 'import("openai").default.Chat.ChatCompletionCreateParams',
  "google-generative-ai":
    '{ contents: import("@google/genai").Content[]; systemInstruction?: import("@google/genai").Content; ' +
    'generationConfig?: Pick<import("@google/genai").GenerationConfig, "maxOutputTokens" | "temperature" | "topP" | "topK" | "stopSequences" | "seed">; }',
};

const run = promisify(execFile);
const packageFolder = dirname(createRequire(import.meta.url).resolve("@factotum/testing-providers/package.json"));

/**
 * Checks bodies against the types of the official SDKs of Anthropic, OpenAI and Google by compiling them: the compiler reports unknown fields, wrong types and
 * missing fields. Compiles all bodies together, which takes a few seconds; call it at the end of a test file. Bodies for servers that copy OpenAI's endpoint
 * may have fields that OpenAI's types do not know. For Mistral use `checkMistralSchema`.
 *
 * @throws Error when the compiler itself fails.
 */
export async function checkOfficialTypes(subjects: readonly OfficialSubject[]): Promise<readonly OfficialComplaint[]> {
  const folder = await mkdtemp(join(tmpdir(), "official-types-"));
  try {
    await symlink(join(packageFolder, "node_modules"), join(folder, "node_modules"));
    const lines = subjects.map(
      ({ format, body }, index) => `const body${index}: ${TYPES[format] ?? "unknown"} = ${JSON.stringify(wirePart(format, body))};`,
    );
    await writeFile(join(folder, "bodies.ts"), `${lines.join("\n")}\nexport {};\n`);
    const output = await compile(join(folder, "bodies.ts"));
    return output.split("\n").flatMap((line) => {
      const match = /bodies\.ts\((\d+),\d+\): error (.*)$/.exec(line);
      return match === null ? [] : [{ index: Number(match[1]) - 1, message: match[2] ?? "" }];
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function wirePart(format: WireFormatName, body: JsonObject): JsonObject {
  if (format === "openai-responses" && isJsonArray(body["input"])) return { ...body, input: body["input"].map(withDefaults) };
  if (format !== "google-generative-ai") return body;
  const { contents = [], systemInstruction, generationConfig } = body;
  const { thinkingConfig: _thinking, ...plain } = isJsonObject(generationConfig) ? generationConfig : {};
  return { contents, generationConfig: plain, ...(systemInstruction !== undefined && { systemInstruction }) };
}

/** Fields that OpenAI's types require and the wire does not: the vendor's own answers have them, and the documentation gives a default. */
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  input_image: { detail: "auto" },
  output_text: { annotations: [] },
  reasoning: { id: "rs_default" },
};

function withDefaults(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withDefaults);
  if (!isJsonObject(value)) return value;
  const { type, role } = value;
  const message = role === "assistant" && isJsonArray(value["content"]) ? { type: "message", id: "msg_default", status: "completed" } : {};
  const lists = ["content", "output"]
    .filter((field) => isJsonArray(value[field]))
    .map((field) => [field, withDefaults(value[field] ?? [])] as const);
  return { ...(typeof type === "string" ? DEFAULTS[type] : {}), ...message, ...value, ...Object.fromEntries(lists) };
}

async function compile(file: string): Promise<string> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--types",
    "",
    "--pretty",
    "false",
  ];
  try {
    return (await run(process.execPath, [compiler, ...options, file], { cwd: dirname(file), maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    // Complaints make the compiler fail; they are on its standard output, with positions.
    const { stdout } = error as { readonly stdout?: unknown };
    if (typeof stdout === "string" && stdout.includes("bodies.ts(")) return stdout;
    throw new Error("The compiler did not run; look at the cause.", { cause: error });
  }
}
