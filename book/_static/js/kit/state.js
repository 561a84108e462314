/**
 * The state of a widget, kept in the page's address so that it can be shared:
 * ?eight_steps.step=5 - only what differs from the default, and nothing that is not valid.
 */

/**
 * @template T
 * @typedef {object} Field
 * @property {T} initial the default
 * @property {(text: string) => T | undefined} read undefined where the text means nothing
 * @property {(value: T) => string} write
 */

const WAIT = 200; // ms; browsers refuse an address that changes too often
const PLAIN = /%(2C|3B|3A|20)/g; // what an address may hold as it is, or as "+"
const PLAINLY = { "%2C": ",", "%3B": ";", "%3A": ":", "%20": "+" };

const inside = (value, low, high) => (value >= low && value <= high ? value : undefined);
const NUMBER = /^-?\d+(\.\d+)?$/;
const readNumber = (text, low, high) =>
  NUMBER.test(text) ? inside(Number(text), low, high) : undefined;

/** At most nine decimals, and never an exponent, which would not be read again. */
const written = (value) => value.toFixed(9).replace(/\.?0+$/, "").replace(/^-0$/, "0");

/** A whole number from low to high. */
export const whole = (initial, low, high) => ({
  initial,
  read: (text) => (/^-?\d+$/.test(text) ? inside(Number(text), low, high) : undefined),
  write: String,
});

/** Any number from low to high. */
export const decimal = (initial, low, high) => ({
  initial, read: (text) => readNumber(text, low, high), write: written,
});

/** One of some strings. */
export const oneOf = (initial, options) => ({
  initial, read: (text) => (options.includes(text) ? text : undefined), write: String,
});

/** On or off. */
export const flag = (initial) => ({
  initial,
  read: (text) => (["on", "off"].includes(text) ? text === "on" : undefined),
  write: (value) => (value ? "on" : "off"),
});

/** A text of at most so many characters. */
export const words = (initial, longest) => ({
  initial, read: (text) => (text.length <= longest ? text : undefined), write: String,
});

/** A matrix of the default's shape, all its numbers from low to high: 1,0;0,2. */
export const matrix = (initial, low, high) => ({
  initial,
  read(text) {
    const rows = text.split(";").map((row) => row.split(","));
    const fits = rows.length === initial.length
      && rows.every((row, i) => row.length === initial[i].length);
    const read = rows.map((row) => row.map((number) => readNumber(number, low, high)));
    return fits && !read.flat().includes(undefined) ? read : undefined;
  },
  write: (rows) => rows.map((row) => row.map(written).join(",")).join(";"),
});

/** A cell of one of some matrices: W_Q1.0.2; whether there is such a cell, the widget knows. */
export const cell = (initial) => ({
  initial,
  read(text) {
    const found = text.match(/^(\w*)\.(\d{1,3})\.(\d{1,3})$/);
    return found ? [found[1], Number(found[2]), Number(found[3])] : undefined;
  },
  write: (value) => value.join("."),
});

/**
 * Read a widget's state from an address; what is missing or broken has its default.
 * @param {string} query such as location.search
 * @param {string} name the widget's
 * @param {Object<string, Field<any>>} fields
 */
export function readState(query, name, fields) {
  const given = new URLSearchParams(query);
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => {
    const text = given.get(`${name}.${key}`);
    return [key, (text === null ? undefined : field.read(text)) ?? field.initial];
  }));
}

/** Return the address with this state in place of the widget's earlier one. */
export function writeState(query, name, fields, values) {
  const kept = query.replace(/^\?/, "").split("&")
    .filter((part) => part && !part.startsWith(`${name}.`));
  for (const [key, field] of Object.entries(fields)) {
    const text = field.write(values[key]);
    if (text === field.write(field.initial)) continue;
    kept.push(`${name}.${key}=${encodeURIComponent(text).replace(PLAIN, (code) => PLAINLY[code])}`);
  }
  return kept.length ? `?${kept.join("&")}` : "";
}

const shown = new Map(); // the states of this page's widgets, by name

/**
 * Set the widgets of this page to what an address says of them: "?positions.k=3".
 * @param {string} query
 * @returns {boolean} false where it names a widget that is not here, or what that does not know
 */
export function follow(query) {
  const wanted = [...new URLSearchParams(query)].map(([key, text]) => {
    const [name, field] = key.split(".");
    const state = shown.get(name);
    return { state, field, value: state?.fields[field]?.read(text) };
  });
  if (!wanted.length || wanted.some(({ value }) => value === undefined)) return false;
  for (const state of new Set(wanted.map((one) => one.state)))
    state.set(Object.fromEntries(wanted.filter((one) => one.state === state)
      .map(({ field, value }) => [field, value])));
  return true;
}

/**
 * The state of one widget on this page.
 * @param {string} name the widget's
 * @param {Object<string, Field<any>>} fields
 * @param {(changed: string[]) => void} onChange called after each change, with what changed
 */
export function pageState(name, fields, onChange) {
  const values = readState(location.search, name, fields);
  let waiting;
  const same = (key, a, b) => fields[key].write(a) === fields[key].write(b);
  const keep = () => {
    const query = writeState(location.search, name, fields, values);
    const moved = Object.keys(fields).some((key) => !same(key, values[key], fields[key].initial));
    const own = `#${name}-live`;
    // With its state goes its place, so that whoever opens the address sees the widget.
    const hash = moved ? own : location.hash.replace(own, "");
    history.replaceState(history.state, "", location.pathname + query + hash);
  };
  const state = {
    values,
    fields,
    /** Change some values; the address follows once they rest. */
    set(changes) {
      const changed = Object.keys(changes).filter((key) => !same(key, changes[key], values[key]));
      if (!changed.length) return;
      Object.assign(values, changes);
      clearTimeout(waiting);
      waiting = setTimeout(keep, WAIT);
      onChange(changed);
    },
    /** Whether any of these differs from its default. */
    moved: (keys) => keys.some((key) => !same(key, values[key], fields[key].initial)),
    /** Set these to their defaults. */
    reset(keys) {
      this.set(Object.fromEntries(keys.map((key) => [key, fields[key].initial])));
    },
  };
  shown.set(name, state);
  return state;
}
