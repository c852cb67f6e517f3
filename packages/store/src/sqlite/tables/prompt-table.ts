import { createHash } from "node:crypto";
import type { SystemPrompt } from "@factotum/agent-contract";
import type { PromptOutline, PromptRecord } from "../../port/transcript-records.ts";
import { numberOf, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";
import type { Conversation } from "./conversation-table.ts";

/** Rendered prompts. Each text is stored once, under its hash, which is its checksum too. */
export class PromptTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  save(conversation: Conversation, prompt: Omit<PromptRecord, "sessionId">): void {
    this.#context.database.run(
      "INSERT INTO prompts (conversation, stable, session, tools, hash, cause, basis, rendered_at, outline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      conversation.n,
      this.#saveText(prompt.system.stable),
      this.#saveText(prompt.system.session),
      this.#saveText(JSON.stringify(prompt.tools)),
      prompt.hash,
      prompt.cause,
      prompt.basis,
      prompt.renderedAtMs,
      prompt.outline === undefined ? null : this.#saveText(JSON.stringify(prompt.outline)),
    );
  }

  /** The newest prompt (of this version), or undefined if there is no intact one: then the caller renders it again. */
  read(conversation: Conversation, version?: { readonly hash: string; readonly notAfterMs: number }): PromptRecord | undefined {
    const { database } = this.#context;
    const row =
      version === undefined
        ? database.get("SELECT * FROM prompts WHERE conversation = ? ORDER BY n DESC LIMIT 1", conversation.n)
        : database.get(
            "SELECT * FROM prompts WHERE conversation = ? AND hash = ? AND rendered_at <= ? ORDER BY n DESC LIMIT 1",
            conversation.n,
            version.hash,
            version.notAfterMs,
          );
    if (row === undefined) return undefined;
    const stable = this.#readText(textOf(row, "stable"));
    const session = this.#readText(textOf(row, "session"));
    const tools = this.#readText(textOf(row, "tools"));
    const outlineHash = optionalText(row, "outline");
    const outline = outlineHash === undefined ? undefined : this.#readText(outlineHash);
    if (stable === undefined || session === undefined || tools === undefined) {
      this.#exclude(row, conversation);
      return undefined;
    }
    const system: SystemPrompt = { stable, session };
    return {
      sessionId: conversation.sessionId,
      system,
      tools: JSON.parse(tools) as PromptRecord["tools"],
      hash: textOf(row, "hash"),
      cause: textOf(row, "cause"),
      basis: textOf(row, "basis"),
      renderedAtMs: numberOf(row, "rendered_at"),
      // A damaged outline only makes a report less detailed.
      ...(outline === undefined ? {} : { outline: JSON.parse(outline) as PromptOutline }),
    };
  }

  /** Removes a conversation's prompts, and the texts that no other prompt uses. */
  remove(conversation: Conversation): void {
    const { database } = this.#context;
    const rows = database.all("SELECT stable, session, tools, outline FROM prompts WHERE conversation = ?", conversation.n);
    database.run("DELETE FROM prompts WHERE conversation = ?", conversation.n);
    const hashes = new Set(
      rows.flatMap((row) => [textOf(row, "stable"), textOf(row, "session"), textOf(row, "tools"), optionalText(row, "outline") ?? ""]),
    );
    for (const hash of hashes) {
      database.run(
        `DELETE FROM prompt_texts WHERE hash = ?1
         AND NOT EXISTS (SELECT 1 FROM prompts WHERE stable = ?1)
         AND NOT EXISTS (SELECT 1 FROM prompts WHERE session = ?1)
         AND NOT EXISTS (SELECT 1 FROM prompts WHERE tools = ?1)
         AND NOT EXISTS (SELECT 1 FROM prompts WHERE outline = ?1)`,
        hash,
      );
    }
  }

  /** Stored as JSON, which has no raw NUL and no lone surrogate. */
  #saveText(text: string): string {
    const body = JSON.stringify(text);
    const hash = hashOf(body);
    this.#context.database.run("INSERT INTO prompt_texts (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, body);
    return hash;
  }

  #readText(hash: string): string | undefined {
    const row = this.#context.database.get("SELECT body FROM prompt_texts WHERE hash = ?", hash);
    const body = row?.["body"];
    return typeof body === "string" && hashOf(body) === hash ? (JSON.parse(body) as string) : undefined;
  }

  /** Removes every prompt that uses the damaged text, and the text, so that the next rendering can store it again. */
  #exclude(row: Row, conversation: Conversation): void {
    const hashes = [textOf(row, "stable"), textOf(row, "session"), textOf(row, "tools")];
    this.#context.quarantine({ type: "prompt", id: conversation.sessionId, sessionKey: conversation.sessionKey }, () => {
      for (const hash of hashes.filter((each) => this.#readText(each) === undefined)) {
        this.#context.database.run("DELETE FROM prompts WHERE stable = ?", hash);
        this.#context.database.run("DELETE FROM prompts WHERE session = ?", hash);
        this.#context.database.run("DELETE FROM prompts WHERE tools = ?", hash);
        this.#context.database.run("DELETE FROM prompt_texts WHERE hash = ?", hash);
      }
    });
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
