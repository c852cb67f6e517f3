/** Reason of a signal that a person fired. */
export class LaneAbort extends Error {
  /** The sender of the stopped input cannot see who stopped it, so a notice is sent. */
  readonly notifiesSender: boolean;

  constructor(reason: string, { notifiesSender = false }: { readonly notifiesSender?: boolean } = {}) {
    super(reason);
    this.name = "LaneAbort";
    this.notifiesSender = notifiesSender;
  }
}

/** Abort reason for a newer message: an input whose turn has not started is merged into that message's turn. */
export class LaneInterrupt extends LaneAbort {
  constructor() {
    super("a newer message came");
    this.name = "LaneInterrupt";
  }
}

/** Abort reason for unattended work that yields to a message. */
export class LaneYield extends Error {
  constructor() {
    super("a message came");
    this.name = "LaneYield";
  }
}

/** Abort reason for the shutdown: the turn stays open and is resumed at the next start. */
export class LaneShutdown extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "LaneShutdown";
  }
}
