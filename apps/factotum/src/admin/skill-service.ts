import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { RpcError, type ConfigControl, type SkillService } from "@factotum/gateway";
import type { RpcMethods, SkillSummary, ToolSummary } from "@factotum/protocol";
import {
  installStaged,
  parseSkillSource,
  readLock,
  removeInstalled,
  scanSkill,
  stageSkill,
  type FoundSkill,
  type LockedSkill,
} from "@factotum/skills";
import type { CliContext } from "../runtime/cli-context.ts";
import { asRequest } from "./service-error.ts";
import { scanAgentSkills, skillNeeds, skillState, type AgentSkills } from "../compose/skill-scan.ts";
import { settingsKey, switchSkill } from "../compose/switch-skill.ts";

const MAX_TEXT_CHARS = 100_000;

interface SkillServiceParts {
  readonly context: CliContext;
  readonly control: Pick<ConfigControl, "reload">;
  readonly currentConfig: () => FactotumConfig;
  readonly clock: Pick<Clock, "now">;
  /** Hides secrets. */
  readonly secrets: { readonly toolOutput: { ready(): Promise<void>; redact(text: string): string } };
}

interface Found extends AgentSkills {
  readonly lock: ReadonlyMap<string, LockedSkill>;
}

/** The skills of agents for clients: what `factotum skills` does. */
export function createSkillService({ context, control, currentConfig, clock, secrets: { toolOutput } }: SkillServiceParts): SkillService {
  const folder = context.paths.skillsFolder;
  const find = async (agentId: string, tools: readonly ToolSummary[], signal: AbortSignal): Promise<Found> => ({
    ...(await scanAgentSkills(currentConfig(), { context, agentId, toolsOf: async () => tools, signal })),
    lock: await readLock(folder),
  });
  const switchOne = async (name: string, isOn: boolean) =>
    asRequest(async () => {
      const config = currentConfig();
      const signal = context.signal;
      for (const { id: agentId } of config.agents) {
        const { scan } = await scanAgentSkills(config, { context, agentId, toolsOf: async () => undefined, signal });
        const skill = scan.found.find((one) => one.name === name);
        if (skill === undefined) continue;
        await switchSkill(context, settingsKey(skill), isOn);
        await control.reload({ force: true });
        return { name };
      }
      throw noSkill(name);
    });
  return {
    list: async ({ agentId, tools }, { signal }) =>
      asRequest(async () => {
        const found = await find(agentId, tools, signal);
        const { problems } = found.scan;
        const broken = problems.filter(({ type, name }) => type === "broken" || (type === "shadowed" && name !== undefined));
        return {
          agentId,
          skills: found.scan.found.map((skill) => summaryOf(skill, found)),
          problems: broken.map(({ path, message }) => ({ path, message })),
        };
      }),
    show: async ({ agentId, tools, name }, { signal }) =>
      asRequest(async () => {
        const found = await find(agentId, tools, signal);
        const skill = found.scan.found.find((one) => one.name === name);
        if (skill === undefined) throw noSkill(name);
        const { text, findings, ...details } = await detailsOf(skill, found, signal);
        await toolOutput.ready();
        const shown = findings.map(({ excerpt, ...finding }) => ({
          ...finding,
          ...withoutUndefined({ excerpt: excerpt === undefined ? undefined : toolOutput.redact(excerpt) }),
        }));
        return { agentId, skill: { ...summaryOf(skill, found), ...details, findings: shown, text: toolOutput.redact(text) } };
      }),
    enable: ({ name }) => switchOne(name, true),
    disable: ({ name }) => switchOne(name, false),
    install: async (order, { signal: leaving }) =>
      asRequest(async () => {
        const signal = AbortSignal.any([context.signal, leaving]);
        const source = await parseSkillSource(order.source, { folder: context.paths.userHome });
        const options = { folder, env: context.env, signal, ...withoutUndefined({ path: order.path }) };
        await using staged = await stageSkill(source, options);
        const { skill, findings, hash: digest } = staged;
        const isSevere = findings.some(({ severity }) => severity === "severe");
        if (order.accept !== digest || (isSevere && order.acceptSevere !== true)) {
          const { name, description, version, warnings } = skill;
          const isChanged = order.accept !== undefined && order.accept !== digest;
          return { type: "asks", plan: { name, description, version, warnings, findings, digest }, isChanged };
        }
        await installStaged(folder, staged, { source: order.source, nowMs: clock.now(), replaces: order.replace === true });
        return { type: "installed", name: skill.name };
      }),
    remove: ({ name }) => asRequest(async () => ({ name: (await removeInstalled(folder, name)).name })),
  };
}

function summaryOf(skill: FoundSkill, found: Found): SkillSummary {
  const { name, description, version, source, path } = skill;
  const state = skillState(skill, found);
  const isKnown = state.type !== "unknown";
  return {
    name,
    description,
    version,
    source,
    path,
    ...withoutUndefined({ installedFrom: source === "managed" ? found.lock.get(name)?.source : undefined }),
    // The gateway knows its tools.
    state: isKnown ? state.type : "left-out",
    ...("reason" in state ? { reason: state.reason } : {}),
    isEnabled: found.entries[settingsKey(skill)]?.enabled !== false,
  };
}

type Details = Omit<RpcMethods["skills.show"]["result"]["skill"], keyof SkillSummary>;

async function detailsOf(skill: FoundSkill, { entries, lock }: Found, signal: AbortSignal): Promise<Details> {
  const { license, compatibility, allowedTools, warnings, path } = skill;
  const settings = entries[settingsKey(skill)];
  const pin = skill.source === "managed" ? lock.get(skill.name) : undefined;
  return {
    ...withoutUndefined({ license, compatibility, installedAt: pin?.installedAt, commit: pin?.commit }),
    tools: allowedTools,
    needs: skillNeeds(skill).flatMap(([kind, names]) => names.map((name) => `${kind}: ${name}`)),
    settings: settings === undefined ? [] : [...Object.keys(settings.env), ...(settings.apiKey === undefined ? [] : ["apiKey"])],
    warnings,
    findings: await scanSkill(dirname(path), { signal }),
    text: (await readFile(path, "utf8")).slice(0, MAX_TEXT_CHARS),
  };
}

function noSkill(name: string): RpcError {
  return new RpcError("not-found", `There is no skill ${JSON.stringify(name)}.`);
}
