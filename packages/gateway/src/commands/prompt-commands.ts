import { nearestName, withoutUndefined } from "@factotum/agent-contract";
import type { CommandFile, SkillEntry, SourceCommand, SourcePrompt } from "@factotum/agent-contract";
import type { GroupConfig } from "@factotum/config";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { fromUserHome } from "../kernel/from-user-home.ts";
import { parsePromptArguments } from "../prompt/prompt-arguments.ts";
import { fillArguments, parsePromptCommand, promptCommandName } from "../prompt/prompt-command-text.ts";
import type { AskedPrompt } from "../queue/turn-job.ts";

/** Longer instructions are not copied into the message: the model reads the file. */
const MAX_BODY_CHARS = 16_000;

/** Who types a command, and where. */
export interface PromptCommandPlace {
  readonly agent: AgentRuntime;
  readonly group: GroupConfig | undefined;
  readonly owner: boolean;
  /** Others than the owner can read the conversation. */
  readonly isShared: boolean;
  readonly signal: AbortSignal;
}

/** A command that users or sources add, for help and menus. */
export interface PromptCommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, for people: `<city>`. The summary of a skill and of a file says it, too. */
  readonly hint?: string;
  /** A file's commands are the owner's unless it says otherwise. */
  readonly access: "anyone" | "owner";
  readonly type: "skill" | "file" | "command" | "prompt";
}

/** What becomes of a command's message. */
export type PromptCommandMessage =
  /** What it says to the model, and the skill that it invokes. */
  | { readonly type: "message"; readonly text: string; readonly skill?: string }
  /** A prompt of a source, which is asked for when its turn begins: that may take longer than a message can wait before it is stored. */
  | { readonly type: "prompt"; readonly prompt: AskedPrompt }
  /** A command of a source, which answers it without the model. */
  | { readonly type: "command"; readonly command: SourceCommand; readonly words: string }
  /** The answer to a command that cannot be used as it was typed. `name`: with its slash. */
  | { readonly type: "answer"; readonly name: string; readonly text: string };

/** The commands of a place, and those that were refused. */
interface FoundCommands {
  readonly files: readonly CommandFile[];
  readonly skills: readonly SkillEntry[];
  readonly sourceCommands: readonly SourceCommand[];
  readonly prompts: readonly SourcePrompt[];
}

/**
 * The slash commands that a user adds: each Markdown file of `<workspace>/commands`, each skill that people may invoke, and for the owner each command and each
 * prompt of a source of tools, in this order of precedence. The built-in commands keep their names; a skill whose name is taken is still reached by `/skill NAME`.
 */
export class PromptCommands {
  readonly #reserved: ReadonlySet<string>;
  /** What was found, while no file has changed: a message that begins with a slash must not wait for the disk before it is stored. */
  readonly #known = new WeakMap<
    AgentRuntime,
    { readonly generation: number; readonly byGroup: Map<GroupConfig | undefined, AllCommands> }
  >();

  /** `reserved`: names of the built-in commands, without the slash. */
  constructor(reserved: readonly string[]) {
    this.#reserved = new Set(reserved.map(promptCommandName));
  }

  /** The commands that the sender may use, files first, each group by name. */
  async list(place: PromptCommandPlace): Promise<readonly PromptCommandInfo[]> {
    const { files, skills, sourceCommands, prompts } = await this.#find(place);
    const own = files.map(({ name, description, argumentHint, access }): PromptCommandInfo => ({
      name,
      summary: summaryOf(name, description, argumentHint),
      access,
      type: "file",
      ...withoutUndefined({ hint: argumentHint }),
    }));
    const taken = new Set(own.map(({ name }) => promptCommandName(name)));
    const isFree = (name: string): boolean => !taken.has(promptCommandName(name)) && !this.#reserved.has(promptCommandName(name));
    const named = new Set([...taken, ...skills.map(({ name }) => promptCommandName(name))]);
    return [
      ...own,
      ...skills.flatMap(({ name, description, argumentHint }): PromptCommandInfo[] =>
        isFree(name) && parsePromptCommand(`/${name}`) !== undefined
          ? [
              {
                name,
                summary: summaryOf(name, description, argumentHint),
                access: "anyone",
                type: "skill",
                ...withoutUndefined({ hint: argumentHint }),
              },
            ]
          : [],
      ),
      ...sourceCommands
        .filter(({ name }) => !named.has(promptCommandName(name)))
        .map(({ name, summary }): PromptCommandInfo => ({ name, summary, access: "owner", type: "command" })),
      ...prompts.map((prompt): PromptCommandInfo => ({
        name: prompt.name,
        summary: prompt.summary,
        access: "owner",
        type: "prompt",
        ...hintOf(prompt),
      })),
    ];
  }

  /** The message for the model that a message stands for, or the answer to one that names no skill; `undefined` for any other message. */
  async expand(text: string, place: PromptCommandPlace): Promise<PromptCommandMessage | undefined> {
    const parsed = parsePromptCommand(text);
    if (parsed === undefined || (!parsed.isSkill && this.#reserved.has(parsed.name))) return undefined;
    const { files, skills, sourceCommands, prompts } = await this.#find(place);
    const isNamed = ({ name }: { readonly name: string }): boolean => promptCommandName(name) === parsed.name;
    const file = parsed.isSkill ? undefined : files.find(isNamed);
    if (file !== undefined) return { type: "message", text: fillArguments(file.body, parsed.words) };
    const skill = skills.find(isNamed);
    if (skill !== undefined) return { type: "message", text: await skillMessage(skill, parsed.words, place), skill: skill.name };
    if (parsed.isSkill) return { type: "answer", name: "/skill", text: unknownSkill(parsed.name, skills) };
    const command = sourceCommands.find(isNamed);
    if (command !== undefined) return { type: "command", command, words: parsed.words };
    const prompt = prompts.find(isNamed);
    return prompt === undefined ? undefined : promptMessage(prompt, parsed.words);
  }

  async #find(place: PromptCommandPlace): Promise<FoundCommands> {
    const { owner, agent, group } = place;
    const { commands, skills } = await this.#all(place);
    return {
      files: commands.filter(({ name, access }) => !this.#reserved.has(promptCommandName(name)) && (owner || access === "anyone")),
      skills: skills.filter(({ invocation }) => invocation !== "model"),
      sourceCommands: owner ? firstOfEach(agent.sourceCommands()).filter(({ name }) => !this.#reserved.has(promptCommandName(name))) : [],
      prompts: owner ? agent.prompts({ provider: "", group, senders: [], sandboxed: false, subagent: false }) : [],
    };
  }

  async #all({ agent, group, signal }: PromptCommandPlace): Promise<AllCommands> {
    const generation = agent.sources.generation();
    let known = this.#known.get(agent);
    if (known?.generation !== generation) {
      known = { generation, byGroup: new Map() };
      this.#known.set(agent, known);
    }
    const found = known.byGroup.get(group);
    if (found !== undefined) return found;
    const [{ commands }, skills] = await Promise.all([
      agent.commandFiles({ signal }),
      agent.skills({ workspace: undefined, group, signal }),
    ]);
    const all = { commands, skills };
    known.byGroup.set(group, all);
    return all;
  }
}

function hintOf({ arguments: all }: SourcePrompt): Pick<PromptCommandInfo, "hint"> {
  if (all.length === 0) return {};
  return { hint: all.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ") };
}

/** The first command of each name. */
function firstOfEach(commands: readonly SourceCommand[]): readonly SourceCommand[] {
  const byName = new Map<string, SourceCommand>();
  for (const command of commands) {
    const name = promptCommandName(command.name);
    if (!byName.has(name)) byName.set(name, command);
  }
  return [...byName.values()];
}

function promptMessage(prompt: SourcePrompt, words: string): PromptCommandMessage {
  const { name } = prompt;
  const parsed = parsePromptArguments(words, prompt);
  if (parsed.type === "missing") return { type: "answer", name: `/${name}`, text: parsed.text };
  return { type: "prompt", prompt: { name, given: parsed.given } };
}

/** Everything that an agent has in a group, whoever asks. */
interface AllCommands {
  readonly commands: readonly CommandFile[];
  readonly skills: readonly SkillEntry[];
}

/** The names of skills and files that cannot be commands, because a built-in command has the name. */
export function commandClashes(names: readonly string[], reserved: readonly string[]): readonly string[] {
  const taken = new Set(reserved.map(promptCommandName));
  return names.filter((name) => taken.has(promptCommandName(name)));
}

function summaryOf(name: string, description: string, hint: string | undefined): string {
  return hint === undefined ? description : `/${name} ${hint}: ${description}`;
}

async function skillMessage(skill: SkillEntry, words: string, place: PromptCommandPlace): Promise<string> {
  const folder = place.owner && !place.isShared ? skill.folder : fromUserHome(skill.folder);
  const body = (await place.agent.skillBody(skill, place))?.trim().replaceAll("{baseDir}", folder);
  if (body === undefined || body === "" || body.length > MAX_BODY_CHARS)
    return `Do this with the skill "${skill.name}": read ${folder}/SKILL.md before anything else; {baseDir} in it stands for ${folder}.${words === "" ? "" : `\n\n${words}`}`;
  return `Do this with the skill "${skill.name}", whose instructions follow. Its folder is ${folder}; paths in them are relative to it.\n\n${body}${words === "" ? "" : `\n\nThe request: ${words}`}`;
}

function unknownSkill(name: string, skills: readonly SkillEntry[]): string {
  const nearest = nearestName(
    name,
    skills.map((skill) => skill.name),
  );
  const guess = nearest === undefined ? "" : ` Did you mean /skill ${nearest}?`;
  return `There is no skill ${JSON.stringify(name)} that a message can call.${guess} /help lists them. To leave the choice to me, write what you want without a slash.`;
}
