import type { JobRecord } from "@factotum/store";

/** A job of the gateway's own with the address of its answer, or why its slot is left out at no cost. */
export type PreparedJob = { readonly job: JobRecord } | { readonly skip: string };
