import type { Logger } from "@factotum/channel-contract";
import type { Client } from "irc-framework";
import { printable } from "../errors.ts";

/** The library writes the stack trace of an exception in its handlers to the console. A line that it cannot handle is logged and ignored instead. */
export function containFailures(client: Client, logger: Logger): void {
  const { command_handler: handler, parsed_middleware: parsed } = client;
  const dispatch = handler.dispatch.bind(handler);
  // Nothing is registered there: it would only catch exceptions, and print them.
  parsed.handle = (_args, done) => done();
  handler.dispatch = (message) => contain(message.command, logger, () => dispatch(message));
}

/** Runs a handler of a line. An exception ends with that line; a hostile server can cause any number of them. */
export function contain(command: string, logger: Logger, handle: () => void): void {
  try {
    handle();
  } catch (error) {
    logger.debug("irc line not understood", {
      command: printable(command),
      reason: error instanceof Error ? printable(error.message) : "unknown",
    });
  }
}
