import { isAbsolute } from "node:path";
import * as z from "zod";
import { CountSchema } from "./values.ts";
import { PlaceSchema } from "./web.ts";

/** The tool `browser`. */
export interface BrowserConfig {
  readonly enabled: boolean;
  /** Absent: the first installed one. */
  readonly executable?: string | undefined;
  readonly headless: boolean;
  /** Hosts that may be reached. Absent: the open internet. */
  readonly allow?: readonly string[] | undefined;
  /** Places that are not public and that the owner's turns may reach. */
  readonly allowPrivate: readonly string[];
  /** Profiles besides `default`. */
  readonly profiles: readonly string[];
  readonly guests: boolean;
  readonly evaluate: boolean;
  readonly maxTabs: number;
  /** Of all browsers together, in MB of 1,024 × 1,024 bytes. */
  readonly maxMemoryMb: number;
}

const HOST = 'a host name is expected, such as "example.com", or "*.example.com" for all names below it';
const PROFILE = "a name of lower case letters, digits and `-` is expected";

/** Parses `tools.browser`. */
export const BrowserConfigSchema: z.ZodType<BrowserConfig> = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Gives the agents a browser. It needs an installed Chromium, Chrome, Edge or Brave."),
    executable: z
      .string()
      .refine(isAbsolute, { error: "an absolute path is expected, such as /usr/bin/chromium" })
      .optional()
      .describe("Program of the browser. Unset: the first one that is installed."),
    headless: z.boolean().default(true).describe("Without a window. `false` needs a screen, and lets you log in to pages by hand."),
    allow: z
      .array(z.string({ error: HOST }).regex(/^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$|^\[?[\da-f:.]+\]?$/i, { error: HOST }))
      .optional()
      .describe("Hosts that the browser may reach; `*.example.com` stands for all names below. Unset: the whole public internet."),
    allowPrivate: z
      .array(PlaceSchema)
      .default([])
      .describe(
        "Places outside of the public internet that the browser may reach in the owner's turns: host names, addresses with or without a port, networks in CIDR notation.",
      ),
    profiles: z
      .array(z.string({ error: PROFILE }).regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: PROFILE }))
      .default([])
      .describe("Profiles besides `default`. Each agent has its own of every name, with its own cookies and logins."),
    guests: z
      .boolean()
      .default(false)
      .describe(
        "Gives turns of other people a browser, too, with an empty profile that is removed with it. They may read pages, not act on them.",
      ),
    evaluate: z.boolean().default(false).describe("Lets the model run scripts in pages."),
    maxTabs: CountSchema.default(8).describe("Open tabs of one conversation."),
    maxMemoryMb: CountSchema.default(2048).describe("Memory of all browsers together; the one with the most is ended."),
  })
  .prefault({})
  .describe("The browser that agents control.");
