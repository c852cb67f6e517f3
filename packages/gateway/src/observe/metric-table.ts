/** Every metric family with its label names. */
interface MetricFamilies {
  readonly factotum_build_info: "version";
  readonly factotum_inputs_accepted_total: "channel" | "result";
  readonly factotum_bot_messages_stopped_total: "channel";
  readonly factotum_inputs: "state";
  readonly factotum_queue_depth: never;
  readonly factotum_turns_running: never;
  readonly factotum_turns_total: "kind" | "outcome";
  readonly factotum_turn_duration_seconds: "kind";
  readonly factotum_model_calls_total: "provider" | "cause" | "outcome";
  readonly factotum_model_retries_total: "provider" | "cause" | "reason";
  readonly factotum_model_tokens_total: "provider" | "cause" | "type";
  readonly factotum_model_cost_usd_total: "provider" | "cause";
  readonly factotum_tool_calls_total: "effect" | "outcome";
  readonly factotum_outbox: "state";
  readonly factotum_outbox_oldest_seconds: never;
  readonly factotum_outbox_blocked: "channel" | "reason";
  readonly factotum_outbox_next_try_seconds: never;
  readonly factotum_sends_total: "channel" | "receipt";
  readonly factotum_channel_accounts: "channel" | "state";
  readonly factotum_sessions: never;
  readonly process_cpu_seconds_total: never;
  readonly process_resident_memory_bytes: never;
  readonly process_start_time_seconds: never;
  readonly nodejs_heap_size_used_bytes: never;
  readonly nodejs_heap_size_total_bytes: never;
  readonly nodejs_external_memory_bytes: never;
  readonly nodejs_eventloop_lag_p50_seconds: never;
  readonly nodejs_eventloop_lag_p99_seconds: never;
  readonly nodejs_eventloop_lag_max_seconds: never;
}

/** Name of a family. */
export type MetricName = keyof MetricFamilies;

/** The labels of a sample of this family. */
export type MetricLabels<Name extends MetricName> = { readonly [Label in MetricFamilies[Name]]: string };

/** The definition of one metric family. */
export interface MetricDefinition<Label extends string = string> {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Label names. Their values come from closed lists or from the configuration; never from a message, a model or a client. */
  readonly labels: readonly Label[];
}

/** All families of `GET /metrics`, in order. Process and event loop use the names of common Node dashboards. */
export const METRICS: { readonly [Name in MetricName]: MetricDefinition<MetricFamilies[Name]> } = {
  factotum_build_info: { type: "gauge", help: "Always 1; the label says which version runs.", labels: ["version"] },
  factotum_inputs_accepted_total: {
    type: "counter",
    help: "Received messages and events; duplicate: received before and ignored.",
    labels: ["channel", "result"],
  },
  factotum_bot_messages_stopped_total: {
    type: "counter",
    help: "Messages of other bots that were not answered, because their exchange has reached its limit.",
    labels: ["channel"],
  },
  factotum_inputs: { type: "gauge", help: "Inputs by state: waiting for an answer, or given up (dead).", labels: ["state"] },
  factotum_queue_depth: { type: "gauge", help: "Inputs and turns that wait for their session's lane.", labels: [] },
  factotum_turns_running: { type: "gauge", help: "Turns in progress.", labels: [] },
  factotum_turns_total: { type: "counter", help: "Turns that have ended.", labels: ["kind", "outcome"] },
  factotum_turn_duration_seconds: { type: "histogram", help: "Time from the start of a turn to its last commit.", labels: ["kind"] },
  factotum_model_calls_total: {
    type: "counter",
    help: "Requests to models; each attempt counts.",
    labels: ["provider", "cause", "outcome"],
  },
  factotum_model_retries_total: {
    type: "counter",
    help: "Requests that are sent again to the same model, by why the try before failed.",
    labels: ["provider", "cause", "reason"],
  },
  factotum_model_tokens_total: { type: "counter", help: "Tokens that providers counted.", labels: ["provider", "cause", "type"] },
  factotum_model_cost_usd_total: {
    type: "counter",
    help: "Cost in US dollars, as far as prices are known.",
    labels: ["provider", "cause"],
  },
  factotum_tool_calls_total: {
    type: "counter",
    help: "Tool calls by what the tool does; not-run: unknown, refused or skipped.",
    labels: ["effect", "outcome"],
  },
  factotum_outbox: {
    type: "gauge",
    help: "Outgoing messages by state: waiting, given up (dead), may or may not have arrived (ambiguous).",
    labels: ["state"],
  },
  factotum_outbox_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest outgoing message that has not left; 0 when none waits.",
    labels: [],
  },
  factotum_outbox_blocked: {
    type: "gauge",
    help: "Conversations whose first unsent message waits for another try, by what the last try was answered with.",
    labels: ["channel", "reason"],
  },
  factotum_outbox_next_try_seconds: {
    type: "gauge",
    help: "Time until the next try in a blocked conversation; 0 when there is none.",
    labels: [],
  },
  factotum_sends_total: { type: "counter", help: "Tries to send a message, by what the platform said.", labels: ["channel", "receipt"] },
  factotum_channel_accounts: { type: "gauge", help: "Configured accounts of channels by state.", labels: ["channel", "state"] },
  factotum_sessions: { type: "gauge", help: "Sessions that are kept.", labels: [] },
  process_cpu_seconds_total: { type: "counter", help: "Processor time of user and system.", labels: [] },
  process_resident_memory_bytes: { type: "gauge", help: "Memory of the process.", labels: [] },
  process_start_time_seconds: { type: "gauge", help: "When the process began, in seconds since 1970.", labels: [] },
  nodejs_heap_size_used_bytes: { type: "gauge", help: "The part of V8's heap that is in use.", labels: [] },
  nodejs_heap_size_total_bytes: { type: "gauge", help: "V8's heap.", labels: [] },
  nodejs_external_memory_bytes: { type: "gauge", help: "Memory outside the heap that JavaScript objects hold.", labels: [] },
  nodejs_eventloop_lag_p50_seconds: {
    type: "gauge",
    help: "Median delay of the event loop since the last scrape; it is measured from the first scrape on.",
    labels: [],
  },
  nodejs_eventloop_lag_p99_seconds: {
    type: "gauge",
    help: "99 of 100 delays of the event loop since the last scrape were at most this.",
    labels: [],
  },
  nodejs_eventloop_lag_max_seconds: { type: "gauge", help: "Longest delay of the event loop since the last scrape.", labels: [] },
};
