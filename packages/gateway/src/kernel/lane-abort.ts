/** Reason of a signal that a person fired. */
export class LaneAbort extends Error {
  /** The sender of the stopped input cannot see who stopped it, so a notice says so. */
  readonly tellsSender: boolean;

  constructor(reason: string, { tellsSender = false }: { readonly tellsSender?: boolean } = {}) {
    super(reason);
    this.name = "LaneAbort";
    this.tellsSender = tellsSender;
  }
}

/** Reason of a signal that a newer message fired: what has not begun yet goes into that message's turn. */
export class LaneInterrupt extends LaneAbort {
  constructor() {
    super("a newer message came");
    this.name = "LaneInterrupt";
  }
}

/** Reason of a signal with which work that no person waits for makes way for a message. */
export class LaneYield extends Error {
  constructor() {
    super("a message came");
    this.name = "LaneYield";
  }
}

/** Reason of a signal that the end of the process fired: the turn stays open and is resumed at the next start. */
export class LaneShutdown extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "LaneShutdown";
  }
}
