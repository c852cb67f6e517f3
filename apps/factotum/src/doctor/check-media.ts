import { parseModelReference, type Environment, type FactotumConfig, type ModelReference } from "@factotum/config";
import { findProvider, imageModelProblem, PROVIDERS, resolveModelInfo } from "@factotum/models";
import { ProgramLookup } from "@factotum/skills";
import { findKeys } from "./check-models.ts";
import { ok, type Finding } from "./finding.ts";

/** The program that speaks without a provider. */
const ESPEAK = "espeak-ng";

/**
 * What transcribes recordings, embeds texts, speaks, looks at images and makes them: each model is one of a known provider with a key, and one that can do it; each program
 * is installed. Makes no request.
 */
export async function checkMedia(config: FactotumConfig, env: Environment): Promise<readonly Finding[]> {
  const { transcription, embedding, image, imageGeneration } = config.models;
  const { provider: speaker } = config.messages.tts;
  const findings: Finding[] = [];
  if (typeof transcription === "string")
    findings.push(await checkReference("transcription", "models.transcription", transcription, { config, env }));
  else if (transcription !== undefined)
    findings.push(await checkProgram("transcription", "models.transcription.command", transcription.command[0] ?? "", env));
  if (embedding !== undefined) findings.push(await checkReference("embedding", "models.embedding", embedding, { config, env }));
  const memory = config.memory.embeddings?.model;
  if (memory !== undefined) findings.push(await checkReference("memory-embeddings", "memory.embeddings.model", memory, { config, env }));
  if (speaker === ESPEAK) findings.push(await checkProgram("speech", "messages.tts.provider", ESPEAK, env));
  else if (speaker !== undefined) findings.push(await checkReference("speech", "messages.tts.provider", speaker, { config, env }));
  const context = { config, env };
  if (image !== undefined) findings.push(await checkReference("image", "models.image", image, context, cannotSee));
  if (imageGeneration !== undefined)
    findings.push(await checkReference("image-generation", "models.imageGeneration", imageGeneration, context, cannotMakeImages));
  return findings;
}

/** Why a model cannot do what it is named for; `undefined` if nothing is known against it. */
type Objection = (reference: ModelReference, context: MediaContext) => string | undefined;

const cannotSee: Objection = ({ provider, model }, { config }) => {
  const configured = config.models.providers[provider];
  const api = configured?.api ?? findProvider(provider)?.api;
  const input = configured?.models.find(({ id }) => id === model)?.input;
  const info = api === undefined ? undefined : resolveModelInfo(provider, model, { api, ...(input === undefined ? {} : { input }) });
  if (info === undefined || info.input.includes("image")) return undefined;
  return `${provider}/${model} takes no images, as far as is known; name another one, or say in models.providers.${provider}.models that its input is text and image`;
};

const cannotMakeImages: Objection = ({ provider, model }, { config }) => {
  const api = config.models.providers[provider]?.api ?? findProvider(provider)?.api;
  return api === undefined ? undefined : imageModelProblem({ api, model });
};

interface MediaContext {
  readonly config: FactotumConfig;
  readonly env: Environment;
}

async function checkReference(
  check: string,
  key: string,
  written: string,
  context: MediaContext,
  objectionOf: Objection = () => undefined,
): Promise<Finding> {
  const parsed = parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...Object.keys(context.config.models.providers)],
    aliases: {},
  });
  if (parsed.type === "unknown") return { check, level: "error", message: `${key}: ${parsed.message}`, fix: `Correct ${key}.` };
  const keys = await findKeys(parsed.reference.provider, context);
  if ("check" in keys) return { ...keys, check, message: `${key}: ${keys.message}` };
  const objection = objectionOf(parsed.reference, context);
  if (objection !== undefined) return { check, level: "error", message: `${key} is ${written}: ${objection}.`, fix: `Correct ${key}.` };
  return ok(check, `${key} is ${written}`);
}

async function checkProgram(check: string, key: string, program: string, env: Environment): Promise<Finding> {
  // A path is looked at by the command itself.
  if (program.includes("/") || (await new ProgramLookup(env["PATH"]).has(program))) return ok(check, `${key} is ${program}`);
  const fix =
    program === ESPEAK ? "Install it (Debian: apt install espeak-ng)." : `Install it, or write its whole path: factotum config set ${key}`;
  return { check, level: "error", message: `${key} names the program ${program}, which is not on the gateway's PATH.`, fix };
}
