import type { Logger, ModelInfo, ToolSchema } from "@factotum/agent-contract";
import { adaptTools } from "@factotum/models";

/** Sets of tools whose verdict is kept. One for each policy and wire format; more are forgotten and judged again. */
const MAX_KEPT = 100;

/**
 * Keeps back the tools that a model's provider would refuse, whatever the schema. Each tool is told of once in the life of the gateway,
 * and never fails a turn.
 */
export class ToolQuarantine {
  readonly #logger: Pick<Logger, "warn">;
  readonly #told = new Set<string>();
  readonly #kept = new Map<string, ReadonlySet<string>>();

  constructor(logger: Pick<Logger, "warn">) {
    this.#logger = logger;
  }

  /** The tools that can be offered to this model, in their order: all of them where they are only described, none where it takes none. */
  admit<Tool extends ToolSchema>(tools: readonly Tool[], info: ModelInfo): readonly Tool[] {
    if (info.tools === "none") return [];
    if (info.tools === "prompt") return tools;
    const refused = this.#refused(tools, info);
    return refused.size === 0 ? tools : tools.filter(({ name }) => !refused.has(name));
  }

  #refused(tools: readonly ToolSchema[], { api }: ModelInfo): ReadonlySet<string> {
    // A name stands for one tool as long as the gateway lives.
    const key = JSON.stringify([api, ...tools.map(({ name }) => name)]);
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
}
