import type { CatalogueRow } from "./catalogue-row.ts";

/** A row that is maintained by hand because the catalogue's packages lack it, or have too few or wrong figures. */
export interface KeptRow {
  readonly provider: string;
  readonly row: Required<Pick<CatalogueRow, "window" | "output" | "images" | "reasoning" | "price">> & CatalogueRow;
  /** The source of the figures, and the date they were read. */
  readonly source: string;
  readonly date: string;
}

const CLAUDE_LEVELS = ["off", "low", "medium", "high", "xhigh", "adaptive", "max"] as const;

/** Each row takes precedence over every other rule: its figures are the model's own. Remove one once the packages have it. */
export const KEPT_ROWS: readonly KeptRow[] = [
  {
    provider: "anthropic",
    row: {
      id: "claude-sonnet-5-5",
      window: 1_000_000,
      output: 128_000,
      images: true,
      reasoning: true,
      levels: CLAUDE_LEVELS,
      price: [2, 10, 0.2, 2.5, 4],
    },
    source: "https://platform.claude.com/docs/en/models/sonnet-5-5/overview",
    date: "2026-11-23",
  },
  {
    provider: "openrouter",
    row: {
      id: "anthropic/claude-sonnet-5.5",
      window: 1_000_000,
      output: 32_000,
      images: true,
      reasoning: true,
      levels: CLAUDE_LEVELS,
      price: [2, 10, 0.2, 2.5, 4],
    },
    // The vendor's limit is 128,000 tokens of output; for the default limit with a reseller see `ProviderDefaults.output`.
    source: "https://platform.claude.com/docs/en/models/sonnet-5-5/overview",
    date: "2026-11-23",
  },
  {
    provider: "mistral",
    row: {
      id: "mistral-medium-latest",
      window: 262_144,
      output: 32_768,
      images: true,
      reasoning: true,
      price: [1.5, 7.5, 0.15, null, null],
    },
    // The vendor accepts up to 256,000 tokens of output; a quarter of the window is reserved for it here.
    source: "https://vercel.com/ai-gateway/models/mistral-medium-3.5",
    date: "2026-11-23",
  },
  {
    provider: "groq",
    row: {
      id: "openai/gpt-oss-120b",
      window: 131_072,
      output: 65_536,
      images: false,
      reasoning: true,
      levels: ["low", "medium", "high"],
      price: [0.15, 0.6, 0.075, null, null],
    },
    source: "https://console.groq.com/docs/models",
    date: "2026-11-23",
  },
  {
    provider: "xai",
    row: {
      id: "grok-4.7",
      window: 500_000,
      // The vendor documents no output limit.
      output: 128_000,
      images: true,
      reasoning: true,
      levels: ["low", "medium", "high", "xhigh"],
      price: [2, 6, 0.5, null, null],
      long: { above: 199_999, price: [4, 12, 1, null, null] },
    },
    source: "https://apidog.com/blog/how-to-use-grok-4-7-api (from the vendor's page of 2026-09-21)",
    date: "2026-11-23",
  },
];

/** The hand-maintained row of exactly this model. */
export function findKeptRow(provider: string, id: string): CatalogueRow | undefined {
  const name = id.toLowerCase();
  return KEPT_ROWS.find((kept) => kept.provider === provider && kept.row.id === name)?.row;
}
