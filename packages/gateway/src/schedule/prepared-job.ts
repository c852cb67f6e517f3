import type { JobRecord } from "@factotum/store";

/** A system job with the address of its answer, or why its slot is skipped without a model call. */
export type PreparedJob = { readonly job: JobRecord } | { readonly skip: string };
