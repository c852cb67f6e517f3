import type {
  Clock,
  EditorCommand,
  EditorFiles,
  EditorStart,
  EditorTerminal,
  EditorTerminals,
  EditorWrite,
  Random,
  RunFacts,
  ToolSource,
} from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { MAX_EDITOR_TEXT_CHARS } from "@factotum/protocol";
import type { EditorAnswer, EditorOffer, EditorServer } from "@factotum/protocol";
import { isWithin } from "@factotum/tools";
import { EditorLink, type EditorConnection, type LinkAnswer } from "./editor-link.ts";

/** How long an editor may take to read a file, to write one, and to answer about a terminal. */
const READ_MS = 5_000;
const WRITE_MS = 15_000;
const TERMINAL_MS = 10_000;

/** The tools of the MCP servers that an editor has named for a session. */
export interface EditorTools {
  readonly sources: readonly ToolSource[];
  /** Tells other servers apart. */
  readonly fingerprint: string;
  /** What is left out, for people. */
  readonly problems: readonly string[];
  /** Ends the servers. */
  close(): Promise<void>;
}

/** Makes the tools of an editor's servers. Nothing is started before a turn needs it. */
export type OpenEditorTools = (servers: readonly EditorServer[]) => EditorTools;

const SHARED =
  "Others write in this conversation now, so the editor's files, terminals and MCP servers are not used here any longer. The answers are still shown.";

const noTools: OpenEditorTools = () => ({ sources: [], fingerprint: "", problems: [], close: async () => undefined });

interface Attached {
  readonly link: EditorLink;
  readonly tools: EditorTools | undefined;
  /** Problems that were told. */
  readonly reported: Set<string>;
}

/** What links to editors need. */
export interface EditorLinksOptions {
  readonly clock: Pick<Clock, "schedule">;
  readonly random: Pick<Random, "uuid">;
}

/**
 * The editors that do something for the runs of a session: the first that offers it, until its connection ends or others write in the session. It is asked for the
 * owner's own turns alone, and for files of the session's folder alone.
 */
export class EditorLinks implements EditorFiles, EditorTerminals {
  readonly #options: EditorLinksOptions;
  #openTools: OpenEditorTools = noTools;
  readonly #links = new Map<string, Attached>();
  readonly #ends = new Set<Promise<void>>();

  constructor(options: EditorLinksOptions) {
    this.#options = options;
  }

  /** From now on this makes the tools of servers; none are used before. */
  openToolsWith(openTools: OpenEditorTools): void {
    this.#openTools = openTools;
  }

  /**
   * Takes an editor's offer for a session that works in `workspace`, with its links resolved. `attached` is false if another connection has made one for this
   * session. The same connection replaces its own.
   */
  attach(
    { sessionKey, workspace, ...offer }: { readonly sessionKey: string; readonly workspace: string } & EditorOffer,
    connection: EditorConnection,
  ): { readonly attached: boolean; readonly problems: readonly string[] } {
    const known = this.#links.get(sessionKey);
    if (known !== undefined && known.link.connection !== connection) return { attached: false, problems: [] };
    if (known !== undefined) this.#remove(known.link);
    if (connection.signal.aborted) return { attached: false, problems: [] };
    const { clock, random } = this.#options;
    const link = new EditorLink({ sessionKey, offer, workspace, connection }, { clock, nextId: () => random.uuid() });
    const tools = offer.servers.length === 0 ? undefined : this.#openTools(offer.servers);
    this.#links.set(sessionKey, { link, tools, reported: new Set() });
    connection.signal.addEventListener("abort", () => this.#remove(link), { once: true });
    return { attached: true, problems: tools?.problems ?? [] };
  }

  /** Withdraws the offer of a connection; false if it has none. */
  detach(sessionKey: string, connection: EditorConnection): boolean {
    const link = this.#links.get(sessionKey)?.link;
    if (link?.connection !== connection) return false;
    this.#remove(link);
    return true;
  }

  /** Others write in a session from now on: what its editor offers ends, and the person there is told why. No-op without an editor. */
  endPrivacy(sessionKey: string): void {
    const link = this.#links.get(sessionKey)?.link;
    if (link === undefined) return;
    link.note(SHARED);
    this.#remove(link);
  }

  /** An editor has answered; false if nothing of it waits for that. */
  answer(id: string, answer: EditorAnswer, connection: EditorConnection): boolean {
    return [...this.#links.values()].some(({ link }) => link.connection === connection && link.answer(id, answer));
  }

  /** The tools that an editor brings to a session; `undefined` without any. */
  toolsOf(sessionKey: string): Pick<EditorTools, "sources" | "fingerprint"> | undefined {
    return this.#links.get(sessionKey)?.tools;
  }

  /** Tells the person at the session's editor which of its servers cannot be used, each reason once. */
  reportProblems(sessionKey: string): void {
    const found = this.#links.get(sessionKey);
    for (const { id, problem } of found?.tools?.sources ?? []) {
      const text = `The editor's MCP server ${id.replace(/^mcp:/, "")} cannot be used: ${problem ?? ""}.`;
      if (problem === undefined || found === undefined || found.reported.has(text)) continue;
      found.reported.add(text);
      found.link.note(text);
    }
  }

  offersFiles(run: RunFacts): boolean {
    const offer = this.#linkOf(run)?.offer;
    return offer?.readsFiles === true || offer?.writesFiles === true;
  }

  async read(file: string, run: RunFacts): Promise<string | undefined> {
    const link = this.#linkOf(run);
    if (link?.offer.readsFiles !== true || !isWithin(link.workspace, file)) return undefined;
    const answer = await link.ask({ type: "read-file", path: file }, { timeoutMs: READ_MS });
    return answer.type === "text" ? answer.text : undefined;
  }

  async write(file: string, text: string, run: RunFacts): Promise<EditorWrite> {
    const link = this.#linkOf(run);
    if (link?.offer.writesFiles !== true || !isWithin(link.workspace, file) || text.length > MAX_EDITOR_TEXT_CHARS) return { type: "none" };
    const answer = await link.ask({ type: "write-file", path: file, text }, { timeoutMs: WRITE_MS });
    if (answer.type === "done") return { type: "written" };
    if (answer.type === "gone") return { type: "none" };
    if (answer.type === "failed") return { type: "refused", reason: answer.message };
    throw new Error(`The editor may not have written it: ${reasonOf(answer)}. Read the file again to see what it holds now.`);
  }

  offers(run: RunFacts): boolean {
    return run.sandbox === undefined && this.#linkOf(run)?.offer.hasTerminals === true;
  }

  async start(command: EditorCommand, run: RunFacts): Promise<EditorStart> {
    const link = this.#linkOf(run);
    if (link === undefined || !this.offers(run)) return { type: "none" };
    const answer = await link.ask({ type: "create-terminal", ...command }, { timeoutMs: TERMINAL_MS });
    if (answer.type === "gone") return { type: "none" };
    if (answer.type === "terminal") return { type: "started", terminal: terminalOf(answer.terminalId, link) };
    if (answer.type === "failed") return { type: "refused", reason: answer.message };
    throw new Error(`The editor may have started it: ${reasonOf(answer)}.`);
  }

  /** Ends everything that editors have brought. */
  async close(): Promise<void> {
    for (const { link } of this.#links.values()) this.#remove(link);
    await Promise.all(this.#ends);
  }

  /** The editor of a run's session, for a turn of the owner's own. */
  #linkOf({ owner, kind, sessionKey }: RunFacts): EditorLink | undefined {
    return owner && kind === "user" ? this.#links.get(sessionKey)?.link : undefined;
  }

  #remove(link: EditorLink): void {
    const known = this.#links.get(link.sessionKey);
    if (known?.link !== link) return;
    this.#links.delete(link.sessionKey);
    link.leave();
    if (known.tools === undefined) return;
    const ending = known.tools.close();
    this.#ends.add(ending);
    void ending.finally(() => this.#ends.delete(ending));
  }
}

function terminalOf(terminalId: string, link: EditorLink): EditorTerminal {
  const ended = link.ask({ type: "await-terminal", terminalId }).then((answer) => {
    if (answer.type !== "exit") throw new Error(reasonOf(answer));
    return withoutUndefined({ exitCode: answer.exitCode, signal: answer.signal });
  });
  return {
    ended,
    output: async () => {
      const answer = await link.ask({ type: "read-terminal", terminalId }, { timeoutMs: TERMINAL_MS });
      if (answer.type !== "output") throw new Error(reasonOf(answer));
      return { text: answer.text, isCut: answer.isCut };
    },
    kill: async () => {
      const answer = await link.ask({ type: "kill-terminal", terminalId }, { timeoutMs: TERMINAL_MS });
      if (answer.type !== "done") throw new Error(reasonOf(answer));
    },
    release: async () => void (await link.ask({ type: "release-terminal", terminalId }, { timeoutMs: TERMINAL_MS })),
  };
}

function reasonOf(answer: LinkAnswer): string {
  if (answer.type === "failed" || answer.type === "lost") return answer.message;
  return answer.type === "gone" ? "the editor has left" : "the editor's answer is of another kind";
}
