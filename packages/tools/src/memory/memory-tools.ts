import type {
  AgentTool,
  AgentToolResult,
  MemoryHit,
  MemoryProvider,
  MemorySourceKind,
  RunFacts,
  ToolTraits,
} from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

/** What the tools of memory need. */
export interface MemoryToolsOptions {
  readonly memory: MemoryProvider;
  /** Whether the run's session is the owner's alone. Asked for each call of the owner. */
  readonly isPrivate: (run: RunFacts) => Promise<boolean>;
}

const MAX_RESULTS = 6;
const SOURCES: readonly MemorySourceKind[] = ["notes", "sessions"];
const MAX_LINES = 120;
/** Of one hit, and of the lines of a note. */
const HIT_CHARS = 700;
const PASSAGE_CHARS = 12_000;

const TRAITS: ToolTraits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true };

/** The tools that search notes and conversations, and show lines of them: for the owner's private sessions alone. */
export function createMemoryTools(options: MemoryToolsOptions): readonly AgentTool[] {
  return [createSearch(options), createGet(options)];
}

function createSearch({ memory, isPrivate }: MemoryToolsOptions): AgentTool {
  return defineTool({
    name: "memory_search",
    summary: "Search your notes and earlier conversations",
    description:
      "Searches MEMORY.md, the notes in memory/ and earlier conversations. Returns passages with path#lines, or session#entry for what was said.",
    schema: z.strictObject({
      query: z.string().min(1).max(1_000),
      maxResults: z.int().min(1).max(50).optional().describe(`Default ${MAX_RESULTS}`),
      minScore: z.number().min(0).max(1).optional(),
      sources: z
        .array(z.enum(["notes", "sessions"]))
        .min(1)
        .optional()
        .describe("Default both"),
    }),
    traits: TRAITS,
    async execute({ query, maxResults = MAX_RESULTS, minScore = 0, sources = SOURCES }, { run, signal }) {
      if (!(await mayAsk(run, isPrivate))) return refusal();
      const { agentId, sessionId: exceptSession } = run;
      const { hits, degraded } = await memory.search({ query, maxResults, minScore, sources, exceptSession }, { agentId, signal });
      const notes = degraded === undefined ? [] : [`[The search was less complete than usual: ${degraded}.]`];
      const text = [...hits.map(renderHit), ...(hits.length === 0 ? ["Nothing was found."] : []), ...notes].join("\n\n");
      const details = {
        hits: hits.map(({ path, startLine, endLine, score, origin }) => ({ path, startLine, endLine, score, origin })),
        ...(degraded === undefined ? {} : { degraded }),
      };
      return textResult(text, { details, untrusted: hits.some(({ origin }) => origin === "untrusted") });
    },
  });
}

function createGet({ memory, isPrivate }: MemoryToolsOptions): AgentTool {
  return defineTool({
    name: "memory_get",
    summary: "Show lines of a note or a conversation",
    description: "Shows lines of a note that memory_search has found, or a conversation from session#entry on.",
    schema: z.strictObject({
      path: z.string().min(1).max(4_096),
      from: z.int().min(1).optional(),
      lines: z.int().min(1).max(2_000).optional().describe(`Default ${MAX_LINES}`),
    }),
    traits: TRAITS,
    async execute({ path, from = 1, lines = MAX_LINES }, { run, signal }) {
      if (!(await mayAsk(run, isPrivate))) return refusal();
      const found = await memory.get({ path, from, lines }, { agentId: run.agentId, signal });
      if (found.type === "not-found") return errorResult(found.message);
      const { startLine, endLine, origin, isCut } = found;
      const text = found.text.slice(0, PASSAGE_CHARS);
      const more =
        text.length < found.text.length ? "[Cut: ask for fewer lines.]" : isCut ? `[There is more: from ${endLine + 1}.]` : undefined;
      return textResult([cite(found), text, ...(more === undefined ? [] : [more])].join("\n"), {
        details: { path: found.path, startLine, endLine, origin },
        untrusted: origin === "untrusted",
      });
    },
  });
}

async function mayAsk(run: RunFacts, isPrivate: MemoryToolsOptions["isPrivate"]): Promise<boolean> {
  return run.owner && (await isPrivate(run));
}

function refusal(): AgentToolResult {
  return errorResult("Your memory is the owner's: it can be searched only in a private conversation with the owner.");
}

/** What was said is cited by its entry; lines are those of the text from there on. */
function cite({
  path,
  source,
  startLine,
  endLine,
}: Pick<MemoryHit, "path" | "startLine" | "endLine"> & { readonly source?: MemorySourceKind }): string {
  if (source !== "sessions") return `${path}#L${startLine}-L${endLine}`;
  return startLine === 1 ? path : `${path} from ${startLine}`;
}

function renderHit({ text, score, origin, day, ...place }: MemoryHit): string {
  const facts = [`score ${score}`, ...(day === undefined ? [] : [day]), ...(origin === "untrusted" ? ["may hold text of others"] : [])];
  return `${cite(place)} (${facts.join(", ")})\n${text.length > HIT_CHARS ? `${text.slice(0, HIT_CHARS)}…` : text}`;
}
