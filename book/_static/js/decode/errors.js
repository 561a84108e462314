/** A sentence that cannot be decoded, or a setting that no search can have. */
export class DecodeError extends Error {
  name = "DecodeError";
}

/** Throw a DecodeError unless `right`, naming the argument, what it is and what it may be. */
export function check(right, name, argument, given, expected) {
  if (!right) throw new DecodeError(`${name}: ${argument} is ${given}; expected ${expected}.`);
}

/** Throw a DecodeError unless `value` is a whole number from `least` to `most`. */
export function checkWhole(name, argument, value, least, most = Infinity) {
  const span = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  const right = Number.isInteger(value) && value >= least && value <= most;
  check(right, name, argument, value, `a whole number, ${span}`);
}
