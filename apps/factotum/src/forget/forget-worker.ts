/** A thread that finds out what would be forgotten: it copies and reads the whole database, which would hold up every conversation of the gateway. */
import { parentPort, workerData } from "node:worker_threads";
import { planForgetting, type ForgetJob } from "./plan-forgetting.ts";

parentPort?.postMessage(await planForgetting(workerData as ForgetJob));
