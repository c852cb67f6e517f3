import type { DiscordButton, DiscordFile, DiscordPoll } from "./message-store.ts";
import { DiscordRefusal, invalidField } from "./refusal.ts";

/** A request's JSON and files. */
export interface DiscordBody {
  readonly json: Readonly<Record<string, unknown>>;
  readonly files: readonly Omit<DiscordFile, "id">[];
}

/** What a message shows, as a request gives it. Fields that the request does not have are absent. */
export interface DiscordContent {
  readonly content?: string;
  readonly files: readonly Omit<DiscordFile, "id">[];
  readonly buttons?: readonly (readonly DiscordButton[])[];
  readonly poll?: DiscordPoll;
  readonly flags?: number;
  readonly allowedMentions: unknown;
}

const MAX_CONTENT = 2_000;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Reads a request with JSON, or with JSON and files. */
export async function parseBody(body: Buffer, contentType: string): Promise<DiscordBody> {
  if (!contentType.startsWith("multipart/form-data"))
    return { json: body.length === 0 ? {} : (JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>), files: [] };
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  const payload = form.get("payload_json");
  const files = await Promise.all(
    [...form]
      .filter(([name]) => /^files\[\d+\]$/.test(name))
      .map(async ([, file]) => {
        if (typeof file === "string") throw invalidField("files", "FILE_REQUIRED");
        return { name: file.name, mimeType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
      }),
  );
  return { json: typeof payload === "string" ? (JSON.parse(payload) as Readonly<Record<string, unknown>>) : {}, files };
}

/** Checks a message as the platform does. */
export function checkContent({ json, files }: DiscordBody): DiscordContent {
  const { content, components, poll, flags } = json;
  if (content !== undefined && content !== null && typeof content !== "string") throw invalidField("content", "STRING_TYPE_CONVERT");
  if (typeof content === "string" && Array.from(content).length > MAX_CONTENT) throw invalidField("content", "BASE_TYPE_MAX_LENGTH");
  if (files.length > 10) throw invalidField("files", "BASE_TYPE_MAX_LENGTH");
  if (files.some(({ bytes }) => bytes.length > MAX_FILE_BYTES)) throw new DiscordRefusal(413, 40_005, "Request entity too large");
  return {
    ...(typeof content === "string" && { content }),
    files,
    ...(components !== undefined && { buttons: checkRows(components) }),
    ...(poll !== undefined && { poll: checkPoll(poll) }),
    ...(typeof flags === "number" && { flags }),
    allowedMentions: json["allowed_mentions"],
  };
}

function checkRows(value: unknown): readonly (readonly DiscordButton[])[] {
  const rows = value as readonly { readonly type: number; readonly components: readonly DiscordButton[] }[];
  if (!Array.isArray(value) || rows.length > 5) throw invalidField("components", "BASE_TYPE_BAD_LENGTH");
  const buttons = rows.flatMap(({ components }) => components);
  for (const [index, { type, components }] of rows.entries()) {
    if (type !== 1) throw invalidField(`components.${index}`, "UNION_TYPE_CHOICES");
    if (components.length === 0 || components.length > 5) throw invalidField(`components.${index}.components`, "BASE_TYPE_BAD_LENGTH");
  }
  for (const { type, style, label, custom_id: id } of buttons) {
    if (type !== 2 || ![1, 2, 3, 4].includes(style)) throw invalidField("components", "UNION_TYPE_CHOICES");
    if (label.length === 0 || label.length > 80) throw invalidField("components.label", "BASE_TYPE_BAD_LENGTH");
    if (id.length === 0 || id.length > 100) throw invalidField("components.custom_id", "BASE_TYPE_BAD_LENGTH");
  }
  if (new Set(buttons.map(({ custom_id: id }) => id)).size !== buttons.length)
    throw invalidField("components", "COMPONENT_CUSTOM_ID_DUPLICATED");
  return rows.map(({ components }) => components);
}

function checkPoll(value: unknown): DiscordPoll {
  const poll = value as {
    readonly question: { readonly text: string };
    readonly answers: readonly { readonly poll_media: { readonly text: string } }[];
    readonly allow_multiselect: boolean;
    readonly duration: number;
  };
  const answers = poll.answers.map(({ poll_media: { text } }) => text);
  if (poll.question.text.length === 0 || poll.question.text.length > 300) throw invalidField("poll.question.text", "BASE_TYPE_BAD_LENGTH");
  if (answers.length < 1 || answers.length > 10) throw invalidField("poll.answers", "BASE_TYPE_BAD_LENGTH");
  if (answers.some(({ length }) => length === 0 || length > 55)) throw invalidField("poll.answers", "BASE_TYPE_BAD_LENGTH");
  if (!Number.isInteger(poll.duration) || poll.duration < 1 || poll.duration > 768) throw invalidField("poll.duration", "NUMBER_TYPE_MAX");
  return { question: poll.question.text, answers, multiple: poll.allow_multiselect };
}

/** Checks the commands that replace those of an application. */
export function checkCommands(value: unknown): void {
  const commands = value as readonly {
    readonly name: string;
    readonly description: string;
    readonly options?: readonly { readonly name: string }[];
  }[];
  if (!Array.isArray(value) || commands.length > 100) throw invalidField("commands", "APPLICATION_COMMAND_TOO_MANY");
  for (const [index, { name, description, options = [] }] of commands.entries()) {
    if (!/^[-_'\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase())
      throw invalidField(`${index}.name`, "APPLICATION_COMMAND_INVALID_NAME");
    if (description.length === 0 || description.length > 100) throw invalidField(`${index}.description`, "BASE_TYPE_BAD_LENGTH");
    if (options.length > 25) throw invalidField(`${index}.options`, "BASE_TYPE_MAX_LENGTH");
  }
  if (new Set(commands.map(({ name }) => name)).size !== commands.length)
    throw invalidField("commands", "APPLICATION_COMMANDS_DUPLICATE_NAME");
}

/** Checks a dialog. */
export function checkModal(value: unknown): void {
  const modal = value as {
    readonly custom_id: string;
    readonly title: string;
    readonly components: readonly {
      readonly type: number;
      readonly label: string;
      readonly component: Readonly<Record<string, unknown>>;
    }[];
  };
  if (modal.custom_id.length === 0 || modal.custom_id.length > 100) throw invalidField("data.custom_id", "BASE_TYPE_BAD_LENGTH");
  if (modal.title.length === 0 || modal.title.length > 45) throw invalidField("data.title", "BASE_TYPE_BAD_LENGTH");
  if (modal.components.length < 1 || modal.components.length > 5) throw invalidField("data.components", "BASE_TYPE_BAD_LENGTH");
  for (const { type, label, component } of modal.components) {
    if (type !== 18 || label.length === 0 || label.length > 45) throw invalidField("data.components", "BASE_TYPE_BAD_LENGTH");
    if (component["type"] !== 3 && component["type"] !== 4) throw invalidField("data.components", "UNION_TYPE_CHOICES");
    const options = component["options"];
    if (component["type"] === 3 && (!Array.isArray(options) || options.length < 1 || options.length > 25))
      throw invalidField("data.components.options", "BASE_TYPE_BAD_LENGTH");
  }
}
