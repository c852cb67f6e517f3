import { copyFile, readFile, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, AgentToolResult, ImageContent, InspectedCall, RunFacts, ToolTraits } from "@factotum/agent-contract";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import type { BrowserAnswer, BrowserDownload } from "./browser-job.ts";
import { profilesOf, type BrowserKeeper, type BrowserPlace } from "./browser-keeper.ts";
import { BrowserSchema, missingParameters, refsOf, TAKEN_BY, type BrowserCall } from "./browser-schema.ts";
import { DEFAULT_PROFILE, type BrowserSettings } from "./browser-settings.ts";

export interface BrowserToolOptions {
  readonly keeper: BrowserKeeper;
  readonly files: FileAccess;
  readonly settings: BrowserSettings;
  /** Takes a file that a page has sent, away from where it lies, and keeps it for the session. Resolves with where its tools find it. */
  readonly keepDownload: (download: BrowserDownload, run: RunFacts) => Promise<string>;
}

const READS: ToolTraits = { effect: "read", idempotent: false, output: "untrusted", network: true, parallel: false };
/** The file is one of the workspace. */
const SAVES: ToolTraits = { effect: "write", idempotent: false, output: "untrusted", network: false, parallel: false };
/** What is done to a page may change anything, and tell it anything. */
const ACTS: ToolTraits = { effect: "write", idempotent: false, output: "untrusted", network: true, parallel: false };

const MAX_IMAGE_BYTES = 3_750_000;
const MAX_COPY_BYTES = 32 * 1024 ** 2;

/** Controls a browser with a window of its own for each session. Private addresses are refused to it, and its pages count as text of others. */
export function createBrowserTool(options: BrowserToolOptions): AgentTool {
  const { keeper, settings } = options;
  return defineTool({
    name: "browser",
    summary: "Use web pages in a browser",
    description:
      "A real browser, for pages that need scripts, forms or a login; web_fetch is cheaper for reading. Usual order: open a url, snapshot (text of the page; elements have refs such as s1e5), act on a ref, snapshot again. To follow a link, open or navigate to its /url.",
    schema: BrowserSchema,
    takenBy: TAKEN_BY,
    traits: ACTS,
    traitsFor,
    inspect: async (call, run) => inspectCall(call, run, options),
    changedInstructions: async ({ path }, run) =>
      path === undefined ? undefined : (await options.files.forRun(run)).findInstructions([path]),
    async execute(call, { run, signal, tainted }) {
      const { profile = DEFAULT_PROFILE } = call;
      const problem = problemOf(call, profile, run, settings);
      if (problem !== undefined) return errorResult(problem);
      const place = { run, profile };
      switch (call.action) {
        case "profiles":
          return textResult(
            profilesOf(settings)
              .map((name) => `${name}: ${stateOf(keeper, { run, profile: name })}`)
              .join("\n"),
          );
        case "status":
          return status(place, options);
        case "stop":
          return textResult((await keeper.stop(place)) ? "The browser was stopped." : "The browser is not running.");
        case "save":
          return save(call, run, { ...options, tainted });
        case "start": {
          const answer = await keeper.ask(place, { call: { action: "tabs" } }, settings);
          return answer.type === "none" ? errorResult(answer.message) : textResult(`The browser is running.\n${answer.text}`);
        }
        default:
          return ask(call, place, { ...options, signal, tainted });
      }
    },
  });
}

function traitsFor({ action, kind, path }: BrowserCall): ToolTraits {
  switch (action) {
    case "save":
      return SAVES;
    case "screenshot":
    case "pdf":
      return path === undefined ? READS : SAVES;
    case "act":
      return kind === "hover" || kind === "wait" ? READS : ACTS;
    case "dialog":
    case "upload":
      return ACTS;
    default:
      return READS;
  }
}

/** Why a call is not made. */
function problemOf(call: BrowserCall, profile: string, run: RunFacts, settings: BrowserSettings): string | undefined {
  if (!run.owner && !settings.guests)
    return "The browser is for the owner's own turns. The owner can open it to others with tools.browser.guests.";
  const missing = missingParameters(call);
  if (call.action === "save" && missing.includes("paths"))
    return "save needs paths, the file that a page has sent; path is the file to write.";
  if (missing.length > 0) return `${call.action === "act" ? `act ${call.kind ?? ""}`.trim() : call.action} needs ${missing.join(" and ")}.`;
  if (!profilesOf(settings).includes(profile))
    return `There is no profile ${profile}; there are: ${profilesOf(settings).join(", ")}. The owner adds others in tools.browser.profiles.`;
  if (call.kind === "evaluate" && call.action === "act" && !settings.evaluate)
    return "Scripts are not allowed in pages. The owner can allow them with tools.browser.evaluate.";
  return undefined;
}

function stateOf(keeper: BrowserKeeper, place: BrowserPlace): string {
  return keeper.isRunning(place) ? "running" : "not running";
}

async function status(place: BrowserPlace, { keeper }: BrowserToolOptions): Promise<AgentToolResult> {
  const answer = await keeper.askRunning(place, { call: { action: "tabs" } });
  if (answer === undefined) return textResult("The browser is not running; it starts with the first call that needs it.");
  return answer.type === "none" ? errorResult(answer.message) : textResult(`The browser is running.\n${answer.text}`);
}

/** Copies a received file to the workspace, from where it can be sent: commands could do it, but need a decision after a page was read. */
async function save(
  { path = "", paths: [from = ""] = [] }: BrowserCall,
  run: RunFacts,
  { files, tainted }: BrowserToolOptions & { readonly tainted: boolean },
): Promise<AgentToolResult> {
  const access = await files.forRun(run);
  await using file = await access.openFile(from);
  if (file.sizeBytes > MAX_COPY_BYTES) return errorResult(`${file.shown} is larger than ${MAX_COPY_BYTES.toLocaleString("en")} bytes.`);
  const data = await file.handle.readFile();
  const [written] = await access.change([{ type: "write", path, data }], { tainted });
  return textResult(`Saved as ${written?.shown ?? path} (${plural(data.length, "byte")}).`);
}

type AskOptions = BrowserToolOptions & { readonly signal: AbortSignal; readonly tainted: boolean };

async function ask(call: BrowserCall, place: BrowserPlace, options: AskOptions): Promise<AgentToolResult> {
  const { keeper, settings, files, signal } = options;
  const access = await files.forRun(place.run);
  const copies = call.action === "upload" ? await copyUploads(call.paths ?? [], access, place, options) : undefined;
  if (typeof copies === "string") return errorResult(copies);
  signal.throwIfAborted();
  const { profile: _profile, path: _path, ...rest } = call;
  const path = call.path !== undefined && extname(call.path) !== "" ? { path: `image${extname(call.path)}` } : {};
  const request = { ...rest, ...path, ...withoutUndefined({ paths: copies }) };
  const answer = await keeper.ask(place, { call: request }, settings);
  if (answer.type === "none") return errorResult(answer.message);
  return toResult(answer, call, { access, run: place.run, ...options });
}

/** Copies what may be uploaded to where the browser can read it: it gets no other file. */
async function copyUploads(
  paths: readonly string[],
  access: RunFiles,
  place: BrowserPlace,
  { keeper }: BrowserToolOptions,
): Promise<readonly string[] | string> {
  const folder = await keeper.exchangeFolder(place);
  if (folder === undefined) return "The browser is not running; open the page first.";
  const copies: string[] = [];
  for (const [index, path] of paths.entries()) {
    await using file = await access.openFile(path);
    if (file.sizeBytes > MAX_COPY_BYTES) return `${file.shown} is larger than ${MAX_COPY_BYTES.toLocaleString("en")} bytes.`;
    const copy = join(folder, `upload-${index}-${basename(file.path)}`);
    // The open file was checked, not its name.
    await copyFile(process.platform === "linux" ? `/proc/self/fd/${file.handle.fd}` : file.path, copy);
    copies.push(copy);
  }
  return copies;
}

async function toResult(
  answer: BrowserAnswer,
  call: BrowserCall,
  options: AskOptions & { readonly access: RunFiles; readonly run: RunFacts },
): Promise<AgentToolResult> {
  const { access, keepDownload, run, tainted } = options;
  const lines = [answer.text];
  for (const download of answer.downloads)
    lines.push(
      `[The page has sent the file ${JSON.stringify(download.name)} (${plural(download.sizeBytes, "byte")}). It is at ${await keepDownload(download, run)}]`,
    );
  let image: ImageContent | undefined;
  if (answer.file !== undefined) {
    const bytes = await readFile(answer.file);
    await rm(answer.file, { force: true });
    if (call.path !== undefined) {
      const [written] = await access.change([{ type: "write", path: call.path, data: bytes }], { tainted });
      lines.push(`Saved as ${written?.shown ?? call.path} (${plural(bytes.length, "byte")}).`);
    }
    if (call.action === "screenshot") {
      if (bytes.length > MAX_IMAGE_BYTES) lines.push("The picture is too large to be shown.");
      else
        image = { type: "image", data: bytes.toString("base64"), mimeType: extname(answer.file) === ".png" ? "image/png" : "image/jpeg" };
    }
  }
  const result = answer.isError ? errorResult(lines.join("\n")) : textResult(lines.join("\n"));
  return image === undefined ? result : { ...result, content: [...result.content, image] };
}

/** What a call would do, with the elements as the page shows them: the owner cannot read a ref. */
async function inspectCall(call: BrowserCall, run: RunFacts, { keeper, settings }: BrowserToolOptions): Promise<InspectedCall> {
  const { profile = DEFAULT_PROFILE, ...rest } = call;
  const problem = problemOf(call, profile, run, settings);
  if (problem !== undefined) return { type: "invalid", message: problem };
  if (traitsFor(call) !== ACTS) return action(call, { profile, ...rest });
  const describe = { action: "describe", refs: refsOf(call), tab: call.tab } as const;
  const answer = await keeper.askRunning({ run, profile }, { call: describe });
  if (answer === undefined) return { type: "invalid", message: "The browser is not running; open the page and take a snapshot first." };
  if (answer.type === "none") return { type: "invalid", message: answer.message };
  if (answer.isError) return { type: "invalid", message: answer.text };
  const { url, elements } = JSON.parse(answer.text) as { readonly url: string; readonly elements: readonly string[] };
  const shown = elements.map((element) => `\n- ${element}`).join("");
  return action(call, { profile, ...rest, url, elements: [...elements] }, `\nOn ${url}${shown === "" ? "" : `:${shown}`}`);
}

function action({ action: name, kind, ...rest }: BrowserCall, binding: object, place = ""): InspectedCall {
  const { ref: _ref, toRef: _toRef, profile: _profile, fields, ...shown } = rest;
  const values = { ...shown, ...(fields === undefined ? {} : { fields: fields.map(({ text }) => text) }) };
  const details = Object.entries(withoutUndefined(values)).map(
    ([key, value]) => `\n${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const text = `Browser: ${[name, ...(kind === undefined ? [] : [kind])].join(" ")}${place}${details.join("")}`;
  // Plain data of the schema; the round trip drops what is undefined.
  return { type: "action", text, binding: JSON.parse(JSON.stringify(binding)) };
}
