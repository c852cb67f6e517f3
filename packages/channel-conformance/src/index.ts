export type { ConformanceRequirement, Need } from "./case.ts";
export { channelConformance } from "./channel-conformance.ts";
export type {
  ConformanceGateway,
  ConformanceOptions,
  ConformancePlatform,
  DeliveryAnswer,
  DeliveryFault,
  SendFault,
  ShownMessage,
  TestEvent,
  TestHappening,
  TestHappeningEvent,
  TestMessage,
  TestPress,
} from "./platform.ts";
export { MemoryAccountState } from "./memory-account-state.ts";
export { CONFORMANCE_REQUIREMENTS, proveRequirement } from "./run-conformance.ts";
export type { ConformanceOutcome } from "./run-conformance.ts";
export { TestHost } from "./test-host.ts";
