import type { Logger, ModelInfo, ToolSchema } from "@factotum/agent-contract";
import { adaptTools } from "@factotum/models";

/** Cached sets of tools, one for each policy and wire format; evicted ones are checked again. */
const MAX_KEPT = 100;

/** Withholds tools whose schema a model's provider would refuse. Each tool is reported once per gateway process, and never fails a turn. */
export class ToolQuarantine {
  readonly #logger: Pick<Logger, "warn">;
  readonly #told = new Set<string>();
  readonly #kept = new Map<string, ReadonlySet<string>>();
  readonly #numbers = new WeakMap<ToolSchema, number>();
  #lastNumber = 0;

  constructor(logger: Pick<Logger, "warn">) {
    this.#logger = logger;
  }

  /** The tools that can be offered to this model, in order: all of them if they are only described as text, none if it takes none. */
  admit<Tool extends ToolSchema>(tools: readonly Tool[], info: ModelInfo): readonly Tool[] {
    if (info.tools === "none") return [];
    if (info.tools === "prompt") return tools;
    const refused = this.#refused(tools, info);
    return refused.size === 0 ? tools : tools.filter(({ name }) => !refused.has(name));
  }

  #refused(tools: readonly ToolSchema[], { api }: ModelInfo): ReadonlySet<string> {
    // A server may give a name another schema.
    const key = JSON.stringify([api, ...tools.map((tool) => this.#numberOf(tool))]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const { quarantined } = adaptTools(tools, api);
    for (const { name, reason } of quarantined) {
      if (this.#told.has(name)) continue;
      this.#told.add(name);
      this.#logger.warn("A tool is off: the model's provider would refuse it", { tool: name, api, reason });
    }
    const refused = new Set(quarantined.map(({ name }) => name));
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, refused);
    return refused;
  }

  #numberOf(tool: ToolSchema): number {
    const known = this.#numbers.get(tool);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(tool, this.#lastNumber);
    return this.#lastNumber;
  }
}
