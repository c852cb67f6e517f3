import type { ConformanceCase } from "../../case.ts";
import { CHANGE_CASES } from "./changes.ts";
import { FAILURE_CASES } from "./failures.ts";
import { LIMIT_CASES } from "./limits.ts";
import { MEDIA_CASES } from "./media.ts";
import { SERIES_CASES } from "./series.ts";
import { TEXT_CASES } from "./texts.ts";

/** Outbound cases, in the order they run. */
export const OUTBOUND_CASES: readonly ConformanceCase[] = [
  ...TEXT_CASES,
  ...LIMIT_CASES,
  ...SERIES_CASES,
  ...CHANGE_CASES,
  ...MEDIA_CASES,
  ...FAILURE_CASES,
];
