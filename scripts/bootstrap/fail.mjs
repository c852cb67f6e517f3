/**
 * Ends the process with one message that says what is wrong, and a second one that says what to do.
 *
 * @param {string} problem
 * @param {string} [remedy]
 * @returns {never}
 */
export function fail(problem, remedy) {
  process.stderr.write(`factotum: ${problem}\n${remedy === undefined ? "" : `${remedy}\n`}`);
  process.exit(1);
}
