import { z } from "zod";
import type { ParameterActions } from "../define-tool/misplaced-parameters.ts";

/** What the tool can do. */
const ACTIONS = [
  "status",
  "start",
  "stop",
  "profiles",
  "tabs",
  "open",
  "focus",
  "close",
  "navigate",
  "snapshot",
  "screenshot",
  "act",
  "console",
  "pdf",
  "dialog",
  "upload",
  "save",
] as const;

/** What `act` can do. */
const KINDS = ["click", "type", "press", "hover", "select", "fill", "drag", "wait", "evaluate"] as const;

type BrowserAction = (typeof ACTIONS)[number];
export type ActKind = (typeof KINDS)[number];

const MAX_TEXT_CHARS = 50_000;
const RefSchema = z.string().min(1).max(40);
const TextSchema = z.string().max(MAX_TEXT_CHARS);

/** A call with valid arguments. */
export interface BrowserCall {
  readonly action: BrowserAction;
  readonly url?: string | undefined;
  readonly tab?: string | undefined;
  readonly profile?: string | undefined;
  readonly offset?: number | undefined;
  readonly fullPage?: boolean | undefined;
  readonly path?: string | undefined;
  readonly kind?: ActKind | undefined;
  readonly ref?: string | undefined;
  readonly toRef?: string | undefined;
  readonly text?: string | undefined;
  readonly submit?: boolean | undefined;
  readonly key?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly fields?: readonly { readonly ref: string; readonly text: string }[] | undefined;
  readonly double?: boolean | undefined;
  readonly timeMs?: number | undefined;
  readonly script?: string | undefined;
  readonly accept?: boolean | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** The parameters of `browser`. */
export const BrowserSchema: z.ZodObject & z.ZodType<BrowserCall> = z.strictObject({
  action: z.enum(ACTIONS),
  url: z.string().min(1).max(4_096).optional().describe("open, navigate"),
  tab: z.string().min(1).max(20).optional().describe("A tab of `tabs`; default: the current one"),
  profile: z.string().min(1).max(40).optional(),
  offset: z.int().min(0).max(10_000_000).optional().describe("snapshot: first character; default 0"),
  fullPage: z.boolean().optional().describe("screenshot, in place of the visible part"),
  path: z.string().min(1).max(4_096).optional().describe("screenshot, pdf, save: file of the workspace to write"),
  kind: z.enum(KINDS).optional().describe("act"),
  ref: RefSchema.optional().describe("Element, as the snapshot names it"),
  toRef: RefSchema.optional().describe("drag: where to"),
  text: TextSchema.optional().describe("type; dialog: the answer; wait: until the page has it"),
  submit: z.boolean().optional().describe("type: then press Enter"),
  key: z.string().min(1).max(60).optional().describe("press, such as Enter or Control+a"),
  values: z.array(z.string().max(1_000)).max(50).optional().describe("select"),
  fields: z
    .array(z.strictObject({ ref: RefSchema, text: TextSchema }))
    .max(50)
    .optional()
    .describe("fill: fields of a form"),
  double: z.boolean().optional().describe("click twice"),
  timeMs: z.int().min(0).max(20_000).optional().describe("wait"),
  script: TextSchema.optional().describe("evaluate: an expression of JavaScript"),
  accept: z.boolean().optional().describe("dialog: OK or Cancel"),
  paths: z
    .array(z.string().min(1).max(4_096))
    .min(1)
    .max(10)
    .optional()
    .describe("upload: files of the workspace; save: the file that a page has sent"),
});

type Parameter = keyof BrowserCall;

/** Parameters that only some actions take, and those actions. */
export const TAKEN_BY: Readonly<Partial<Record<Parameter, readonly BrowserAction[]>>> & ParameterActions = {
  url: ["open", "navigate"],
  offset: ["snapshot"],
  fullPage: ["screenshot"],
  path: ["screenshot", "pdf", "save"],
  paths: ["upload", "save"],
  kind: ["act"],
  toRef: ["act"],
  text: ["act", "dialog"],
  submit: ["act"],
  key: ["act"],
  values: ["act"],
  fields: ["act"],
  double: ["act"],
  timeMs: ["act"],
  script: ["act"],
  accept: ["dialog"],
};

const NEEDED_BY_ACTION: Readonly<Partial<Record<BrowserAction, readonly Parameter[]>>> = {
  focus: ["tab"],
  navigate: ["url"],
  act: ["kind"],
  pdf: ["path"],
  dialog: ["accept"],
  upload: ["ref", "paths"],
  save: ["path", "paths"],
};

const NEEDED_BY_KIND: Readonly<Partial<Record<ActKind, readonly Parameter[]>>> = {
  click: ["ref"],
  type: ["ref", "text"],
  press: ["key"],
  hover: ["ref"],
  select: ["ref", "values"],
  fill: ["fields"],
  drag: ["ref", "toRef"],
  evaluate: ["script"],
};

/** The parameters that a call lacks. */
export function missingParameters(call: BrowserCall): readonly Parameter[] {
  const needed = [
    ...(NEEDED_BY_ACTION[call.action] ?? []),
    ...(call.action === "act" && call.kind !== undefined ? (NEEDED_BY_KIND[call.kind] ?? []) : []),
  ];
  return needed.filter((name) => call[name] === undefined);
}

/** The elements that a call names. */
export function refsOf({ ref, toRef, fields = [] }: BrowserCall): readonly string[] {
  return [ref, toRef, ...fields.map((field) => field.ref)].filter((one) => one !== undefined);
}
