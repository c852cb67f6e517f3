import { parseModelReference, type Environment, type FactotumConfig } from "@factotum/config";
import { PROVIDERS } from "@factotum/models";
import { ProgramLookup } from "@factotum/skills";
import { findKeys } from "./check-models.ts";
import { ok, type Finding } from "./finding.ts";

/** The program that speaks without a provider. */
const ESPEAK = "espeak-ng";

/** What transcribes recordings and speaks answers: each model is one of a known provider with a key, each program is installed. Makes no request. */
export async function checkMedia(config: FactotumConfig, env: Environment): Promise<readonly Finding[]> {
  const { transcription } = config.models;
  const { provider: speaker } = config.messages.tts;
  const findings: Finding[] = [];
  if (typeof transcription === "string")
    findings.push(await checkReference("transcription", "models.transcription", transcription, { config, env }));
  else if (transcription !== undefined)
    findings.push(await checkProgram("transcription", "models.transcription.command", transcription.command[0] ?? "", env));
  if (speaker === ESPEAK) findings.push(await checkProgram("speech", "messages.tts.provider", ESPEAK, env));
  else if (speaker !== undefined) findings.push(await checkReference("speech", "messages.tts.provider", speaker, { config, env }));
  return findings;
}

interface MediaContext {
  readonly config: FactotumConfig;
  readonly env: Environment;
}

async function checkReference(check: string, key: string, written: string, context: MediaContext): Promise<Finding> {
  const parsed = parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...Object.keys(context.config.models.providers)],
    aliases: {},
  });
  if (parsed.type === "unknown") return { check, level: "error", message: `${key}: ${parsed.message}`, fix: `Correct ${key}.` };
  const keys = await findKeys(parsed.reference.provider, context);
  if ("check" in keys) return { ...keys, check, message: `${key}: ${keys.message}` };
  return ok(check, `${key} is ${written}`);
}

async function checkProgram(check: string, key: string, program: string, env: Environment): Promise<Finding> {
  // A path is looked at by the command itself.
  if (program.includes("/") || (await new ProgramLookup(env["PATH"]).has(program))) return ok(check, `${key} is ${program}`);
  const fix =
    program === ESPEAK ? "Install it (Debian: apt install espeak-ng)." : `Install it, or write its whole path: factotum config set ${key}`;
  return { check, level: "error", message: `${key} names the program ${program}, which is not on the gateway's PATH.`, fix };
}
